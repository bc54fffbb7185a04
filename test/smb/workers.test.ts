import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type ShareFileClient, ShareServiceClient } from "@azure/storage-file-share";
import { pause } from "../../src/base/clock.ts";
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from "../../src/services/account/account-list.ts";
import { refused } from "../contract/file/kit.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { SmbTestClient } from "../kit/smb-test-client.ts";

/** Several workers: SMB ends in one of them, REST in all, and each feels the other. */
let program: Program;
let folder: string;
let file: ShareFileClient;
const KEY = Buffer.from("0123456789abcdef");
/** The supervisor distributes REST connections round-robin: so many calls reach every worker. */
const CALLS = 6;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-workers-"));
  program = await startProgram(["--location", join(folder, "data"), "--workers", "3"]);
  const share = client().getShareClient("work");
  await share.create();
  file = share.rootDirectoryClient.getFileClient("f");
  await file.create(5);
});

after(async () => {
  await program.stop();
  rmSync(folder, { recursive: true });
});

/** A connection for each request, so that they are spread over the workers. */
const client = (): ShareServiceClient =>
  ShareServiceClient.fromConnectionString(program.connectionString, {
    keepAliveOptions: { enable: false },
    retryOptions: { maxTries: 1 },
  });

const connect = (): Promise<SmbTestClient> =>
  SmbTestClient.connect({
    port: program.ports.smb,
    user: WELL_KNOWN_ACCOUNT,
    password: WELL_KNOWN_KEY,
    share: "work",
  });

test("two SMB connections meet each other, and REST in every worker meets both", async () => {
  const one = await connect();
  const other = await connect();
  const handle = await one.open("f", { access: "RW", share: "" });
  await assert.rejects(other.open("f"), /SHARING_VIOLATION/);
  for (let i = 0; i < CALLS; i++) await refused(file.downloadToBuffer(), 409, "SharingViolation");
  await one.close(handle);
  for (let i = 0; i < CALLS; i++) await file.downloadToBuffer();
  one.vanish();
  other.vanish();
});

test("a REST call in any worker waits for the cache of an SMB client", async () => {
  const smb = await connect();
  for (let i = 0; i < CALLS; i++) {
    const handle = await smb.open("f", { access: "RW", lease: { key: KEY, state: "RWH" } });
    assert.equal(handle.leaseState, "RWH");
    const got = file.downloadToBuffer();
    await smb.nextBreak();
    await smb.write(handle, 0, `now ${i}`);
    await smb.acknowledgeLease(KEY, "RH");
    assert.equal((await got).toString(), `now ${i}`);
    await smb.close(handle);
  }
  smb.vanish();
});

test("Force Close in any worker reaches the client", async () => {
  const smb = await connect();
  for (let i = 0; i < CALLS; i++) {
    const handle = await smb.open("f", { access: "R", share: "" });
    assert.equal((await file.forceCloseAllHandles()).closedHandlesCount, 1);
    await assert.rejects(smb.read(handle, 0, 5), /FILE_CLOSED/);
  }
  smb.vanish();
});

test("when the worker with the SMB clients dies, their handles go and the next one takes them", async () => {
  const smb = await connect();
  await smb.open("f", { access: "RW", share: "" });
  let isGone = false;
  smb.onClose(() => {
    isGone = true;
  });
  const workers = readFileSync(`/proc/${program.pid}/task/${program.pid}/children`, "utf8").trim().split(" ");
  for (const worker of workers) {
    if (isGone) break;
    process.kill(Number(worker), "SIGKILL");
    await pause(300);
  }
  assert.ok(isGone, "no worker had the connection");
  for (let tries = 0; ; tries++) {
    try {
      await file.downloadToBuffer();
      break;
    } catch (error) {
      if (tries === 100) throw error;
      await pause(100);
    }
  }
  const again = await connect();
  await again.close(await again.open("f", { access: "RW", share: "" }));
  again.vanish();
});
