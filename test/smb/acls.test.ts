import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import type { ShareClient } from "@azure/storage-file-share";
import { monotonic } from "../../src/base/clock.ts";
import { RIGHT } from "../../src/concurrency/acl.ts";
import { identityOf } from "../../src/services/file/security/acls.ts";
import { printSid } from "../../src/services/file/security/sddl.ts";
import { ACCESS, DISPOSITION } from "../../src/smb/wire/create.ts";
import { FILE_CLASS } from "../../src/smb/wire/file-information.ts";
import { OPLOCK } from "../../src/smb/wire/oplock-break.ts";
import { STATUS } from "../../src/smb/wire/status.ts";
import { type FileKit, useFiles } from "../contract/file/kit.ts";
import { runProgram } from "../kit/run-program.ts";
import { SMB_ACCOUNT, SMB_PASSWORD, startSmbServer } from "../kit/smb-server.ts";
import { type ClientFile, SmbStatus, SmbTestClient } from "../kit/smb-test-client.ts";

/** ACLs over SMB: by default the server stores and shows them; it enforces them with a flag. */
const DENY_ALL = "D:P(D;;FA;;;WD)";
const OWNERS = ACCESS.READ_CONTROL | ACCESS.WRITE_DAC;
const MADE = { rights: RIGHT.ALL, disposition: DISPOSITION.OPEN_IF };

const isDenied = (error: unknown) => {
  assert.ok(error instanceof SmbStatus, String(error));
  assert.equal(error.message, new SmbStatus(STATUS.ACCESS_DENIED).message);
  return true;
};

async function connect(kit: FileKit, share: ShareClient): Promise<SmbTestClient> {
  const { account, key, server } = kit.server;
  return SmbTestClient.connect({ port: server.ports.smb, user: account, password: key, share: share.name });
}

async function put(smb: SmbTestClient, path: string, content: string, sddl: string): Promise<void> {
  const file = await smb.open(path, MADE);
  await smb.write(file, 0, content);
  await smb.setSecurity(file, sddl);
  await smb.close(file);
}

const grantedTo = async (smb: SmbTestClient, file: ClientFile): Promise<number> =>
  (await smb.queryInfo(file, FILE_CLASS.ACCESS)).readUInt32LE(0);

suite("ACLs by default", () => {
  const kit = useFiles("memory");

  test("an ACL that denies everything to Everyone is stored and shown, and denies nothing", async () => {
    const share = await kit.newShare();
    const smb = await connect(kit, share);
    await put(smb, "f", "hello", DENY_ALL);
    const file = await smb.open("f", { rights: RIGHT.ALL });
    assert.match(await smb.security(file), /D:P\(D;;FA;;;WD\)$/);
    await smb.write(file, 0, "HELLO");
    assert.equal((await smb.read(file, 0, 10)).toString(), "HELLO");
    await smb.setDeletePending(file, true);
    await smb.close(file);
    const most = await smb.open("", { rights: ACCESS.MAXIMUM_ALLOWED, isDirectory: true });
    assert.equal(await grantedTo(smb, most), RIGHT.ALL);
    smb.vanish();
  });
});

suite("ACLs where they are enforced", () => {
  const kit = useFiles("memory", ["--smbAcls", "enforced"]);

  test("a list that denies everything leaves its owner the list, and REST everything", async () => {
    const share = await kit.newShare();
    const smb = await connect(kit, share);
    await put(smb, "f", "hello", DENY_ALL);
    await assert.rejects(smb.open("f", { access: "R" }), isDenied);
    await assert.rejects(smb.open("f", { access: "W" }), isDenied);
    const most = await smb.open("f", { rights: ACCESS.MAXIMUM_ALLOWED });
    const fromRoot = ACCESS.DELETE | ACCESS.READ_ATTRIBUTES;
    assert.equal(await grantedTo(smb, most), OWNERS | fromRoot);
    await assert.rejects(smb.read(most, 0, 5), isDenied);
    const rest = share.rootDirectoryClient.getFileClient("f");
    assert.equal((await rest.downloadToBuffer()).toString(), "hello");
    await smb.setSecurity(most, "D:(A;;FR;;;WD)");
    await smb.close(most);
    const file = await smb.open("f", { access: "R" });
    assert.equal((await smb.read(file, 0, 5)).toString(), "hello");
    await smb.close(file);
    await rest.delete();
    smb.vanish();
  });

  test("what REST makes is the account's, and what SMB makes is owned by its SID", async () => {
    const share = await kit.newShare();
    await share.createFile("rest", 1);
    const smb = await connect(kit, share);
    const made = await smb.open("rest", { rights: RIGHT.ALL });
    assert.match(await smb.security(made), /^O:SYG:SYD:/);
    await smb.close(made);
    const own = await smb.open("smb", MADE);
    const me = printSid(identityOf(kit.server.account).user);
    assert.ok((await smb.security(own)).startsWith(`O:${me}G:`));
    await smb.close(own);
    smb.vanish();
  });

  test("an open that is denied takes no cache away", async () => {
    const share = await kit.newShare();
    const [one, two] = [await connect(kit, share), await connect(kit, share)];
    await put(one, "f", "hello", "D:P(A;;FR;;;WD)");
    const exclusive = await one.open("f", { access: "R", oplock: OPLOCK.EXCLUSIVE });
    assert.equal(exclusive.oplock, OPLOCK.EXCLUSIVE);
    const begun = monotonic();
    // Had the first client been asked, this would wait for its answer, which never comes.
    await assert.rejects(two.open("f", { access: "W" }), isDenied);
    assert.ok(monotonic() - begun < 10_000);
    for (const client of [one, two]) client.vanish();
  });

  test("who may only append changes nothing that is there, and who may only look locks nothing", async () => {
    const share = await kit.newShare();
    const smb = await connect(kit, share);
    await put(smb, "log", "one,", "D:P(A;;0x100084;;;WD)");
    const log = await smb.open("log", { rights: ACCESS.APPEND_DATA | ACCESS.SYNCHRONIZE });
    await smb.write(log, 4, "two");
    await assert.rejects(smb.write(log, 3, ";"), isDenied);
    await assert.rejects(smb.lock(log, 0, 4), isDenied);
    await smb.close(log);
    const rest = share.rootDirectoryClient.getFileClient("log");
    assert.equal((await rest.downloadToBuffer()).toString(), "one,two");
    smb.vanish();
  });

  test("in a snapshot the lists hold as they were", async () => {
    const share = await kit.newShare();
    const smb = await connect(kit, share);
    await put(smb, "f", "then", DENY_ALL);
    const { snapshot } = await share.createSnapshot();
    const file = await smb.open("f", { rights: OWNERS });
    await smb.setSecurity(file, "D:P(A;;FA;;;WD)");
    await smb.close(file);
    const at = `@GMT-${snapshot!.slice(0, 19).replaceAll("-", ".").replace("T", "-").replaceAll(":", ".")}`;
    await assert.rejects(smb.open(`${at}\\f`, { access: "R" }), isDenied);
    const looked = await smb.open(`${at}\\f`, { rights: ACCESS.MAXIMUM_ALLOWED });
    assert.equal(await grantedTo(smb, looked), ACCESS.READ_CONTROL | ACCESS.READ_ATTRIBUTES);
    await smb.close(looked);
    await smb.close(await smb.open("f", { access: "R" }));
    smb.vanish();
  });

  test("who may not add to a directory makes nothing in it, and who may not list it does not", async () => {
    const share = await kit.newShare();
    const smb = await connect(kit, share);
    const directory = await smb.open("d", { ...MADE, isDirectory: true });
    await put(smb, "d\\f", "hello", "D:P(A;;FR;;;WD)");
    await smb.setSecurity(directory, "D:P(A;;0x100080;;;WD)");
    await smb.close(directory);
    await assert.rejects(smb.open("d\\new", MADE), isDenied);
    await assert.rejects(smb.open("d\\new", { ...MADE, isDirectory: true }), isDenied);
    await assert.rejects(smb.open("d", { access: "R", isDirectory: true }), isDenied);
    // The way through it is open, as it is on Windows.
    await smb.close(await smb.open("d\\f", { access: "R" }));
    await assert.rejects(smb.open("d\\f", { access: "D" }), isDenied);
    smb.vanish();
  });
});

/** smbcacls of Debian knows no port but 445, so the server needs a loopback address of its own. */
const AT = { host: "127.44.5.1", port: 445 };
const isMissing = spawnSync("smbcacls", ["--version"]).status !== 0;

test("smbcacls takes writing away and gives it back, and smbclient feels both", async (t) => {
  if (isMissing) return t.skip("smbcacls is not installed (apt-get install smbclient)");
  const started = startSmbServer({ acls: "enforced", at: AT });
  const server = await started.catch((error: NodeJS.ErrnoException) => error);
  if (server instanceof Error) {
    if (!["EACCES", "EADDRNOTAVAIL", "EADDRINUSE"].includes(server.code ?? "")) throw server;
    return t.skip(`port 445 of ${AT.host} is not to be had (${server.code})`);
  }
  const folder = mkdtempSync(join(tmpdir(), "holdfast-acls-"));
  const login = [`//${AT.host}/work`, "-U", `${SMB_ACCOUNT}%${SMB_PASSWORD}`];
  const acls = async (...args: string[]): Promise<string> =>
    (await runProgram("smbcacls", [...login, "f", "--numeric", ...args])).output;
  const client = async (commands: string): Promise<string> =>
    (await runProgram("smbclient", [...login, "-c", commands], { directory: folder })).output;
  try {
    writeFileSync(join(folder, "f"), "hello");
    await client("put f");
    const me = printSid(identityOf(SMB_ACCOUNT).user);
    assert.match(await acls(), new RegExp(`OWNER:${me}\n`));
    await acls("-S", "ACL:S-1-1-0:0/0x0/0x001200a9");
    assert.match(await acls(), /\nACL:S-1-1-0:0\/0x0\/0x001200a9\n/);
    assert.match(await client("put f"), /NT_STATUS_ACCESS_DENIED/);
    await client("get f back");
    assert.equal(readFileSync(join(folder, "back"), "utf8"), "hello");
    assert.match(await acls("-C", "S-1-5-32-544"), /NT_STATUS_ACCESS_DENIED/);
    await acls("-S", `ACL:${me}:0/0x0/0x001f01ff`);
    writeFileSync(join(folder, "f"), "again");
    assert.doesNotMatch(await client("put f; get f back"), /NT_STATUS/);
    assert.equal(readFileSync(join(folder, "back"), "utf8"), "again");
    assert.match(await acls("-C", "S-1-5-32-544"), /NT_STATUS_INVALID_OWNER/);
  } finally {
    rmSync(folder, { recursive: true });
    await server.close();
  }
});
