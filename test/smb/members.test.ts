import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ShareFileClient, ShareServiceClient } from "@azure/storage-file-share";
import { monotonic, pause, seconds } from "../../src/base/clock.ts";
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from "../../src/services/account/account-list.ts";
import { DISPOSITION } from "../../src/smb/wire/create.ts";
import { refused } from "../contract/file/kit.ts";
import { freshSchema } from "../kit/postgres.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { SmbTestClient } from "../kit/smb-test-client.ts";

/** SMB clients of one member and REST calls to another, on the same file. */
const KEY = Buffer.from("0123456789abcdef");
let schema: Awaited<ReturnType<typeof freshSchema>>;
let one: Program;
let other: Program;
/** Through the other member. */
let file: ShareFileClient;

before(async () => {
  schema = await freshSchema();
  [one, other] = await Promise.all([
    startProgram(["--store", schema.address, "--smbStreams", "kept"]),
    startProgram(["--store", schema.address, "--smbStreams", "kept"]),
  ]);
  const options = { retryOptions: { maxTries: 1 } };
  const share = ShareServiceClient.fromConnectionString(other.connectionString, options).getShareClient(
    "work",
  );
  await share.create();
  file = share.rootDirectoryClient.getFileClient("f");
  await file.create(5);
});

after(async () => {
  await Promise.all([one.stop(), other.stop()]);
  await schema.drop();
});

const connect = (program: Program): Promise<SmbTestClient> =>
  SmbTestClient.connect({
    port: program.ports.smb,
    user: WELL_KNOWN_ACCOUNT,
    password: WELL_KNOWN_KEY,
    share: "work",
  });

test("a share mode at one member excludes REST and SMB at the other", async () => {
  const smb = await connect(one);
  const neighbour = await connect(other);
  const handle = await smb.open("f", { access: "RW", share: "" });
  await refused(file.downloadToBuffer(), 409, "SharingViolation");
  await assert.rejects(neighbour.open("f"), /SHARING_VIOLATION/);
  await smb.close(handle);
  await file.downloadToBuffer();
  await neighbour.close(await neighbour.open("f"));
  smb.vanish();
  neighbour.vanish();
});

test("a REST call to one member waits for the cache of an SMB client of the other", async () => {
  const smb = await connect(one);
  for (let i = 0; i < 3; i++) {
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

test("a named stream open at one member protects its file at the other, unless only a cache keeps it open", async () => {
  const smb = await connect(one);
  const neighbour = await connect(other);
  const made = { access: "RW", disposition: DISPOSITION.OPEN_IF };
  const stream = await smb.open("f:s", { ...made, share: "RW" });
  await smb.write(stream, 0, "stream");
  await refused(file.delete(), 409, "SharingViolation");
  await assert.rejects(neighbour.open("f", { access: "D" }), /SHARING_VIOLATION/);
  const beside = await neighbour.open("f:s", { access: "R" });
  assert.equal((await neighbour.read(beside, 0, 10)).toString(), "stream");
  await neighbour.close(beside);
  await smb.close(stream);
  const kept = await smb.open("f:s", { ...made, share: "RW", lease: { key: KEY, state: "RH" } });
  assert.equal(kept.leaseState, "RH");
  const opening = neighbour.open("f", { access: "D" });
  assert.equal((await smb.nextBreak()).kind, "lease");
  await smb.close(kept);
  await neighbour.close(await opening);
  smb.vanish();
  neighbour.vanish();
});

test("the handles of a killed member end within 5 seconds", async () => {
  const smb = await connect(one);
  await smb.open("f", { access: "RW", share: "" });
  await refused(file.downloadToBuffer(), 409, "SharingViolation");
  const killed = monotonic();
  await one.stop("SIGKILL");
  for (;;) {
    const isFree = await file.downloadToBuffer().then(
      () => true,
      () => false,
    );
    if (isFree) break;
    assert.ok(monotonic() - killed < seconds(5), "still held after 5 seconds");
    await pause(50);
  }
  smb.vanish();
});
