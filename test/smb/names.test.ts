import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DISPOSITION } from "../../src/smb/wire/create.ts";
import { FILE_CLASS } from "../../src/smb/wire/file-information.ts";
import { STATUS } from "../../src/smb/wire/status.ts";
import { SMB_ACCOUNT, SMB_PASSWORD, startSmbServer } from "../kit/smb-server.ts";
import { SmbStatus, SmbTestClient } from "../kit/smb-test-client.ts";

/** What clients find by name, and the ids they know it by. */
let server: Awaited<ReturnType<typeof startSmbServer>>;
let smb: SmbTestClient;
before(async () => {
  server = await startSmbServer();
  const to = { port: server.port, user: SMB_ACCOUNT, password: SMB_PASSWORD, share: "work" };
  smb = await SmbTestClient.connect(to);
});
after(async () => {
  smb.vanish();
  await server.close();
});

const isRefused = (status: number) => (error: unknown) => {
  assert.ok(error instanceof SmbStatus, String(error));
  assert.equal(error.message, new SmbStatus(status).message);
  return true;
};
const MADE = { access: "RWD", disposition: DISPOSITION.OPEN_IF };

test("the root has a file id, the same by handle and in its listing, and no other file has it", async () => {
  await smb.close(await smb.open("some", MADE));
  const root = await smb.open("", { isDirectory: true });
  const id = (await smb.queryInfo(root, FILE_CLASS.INTERNAL)).readBigUInt64LE(0);
  assert.notEqual(id, 0n);
  const listed = new Map((await smb.list(root, "*")).map(({ name, fileId }) => [name, fileId]));
  assert.equal(listed.get("."), id);
  assert.equal(listed.get(".."), id);
  const some = await smb.open("some");
  assert.equal(listed.get("some"), (await smb.queryInfo(some, FILE_CLASS.INTERNAL)).readBigUInt64LE(0));
  assert.notEqual(listed.get("some"), id);
  await smb.close(some);
  await smb.close(root);
});

test("only the first look of a handle says that there is no such file; after that there are no more", async () => {
  const root = await smb.open("", { isDirectory: true });
  await assert.rejects(smb.list(root, "nothing"), isRefused(STATUS.NO_SUCH_FILE));
  await assert.rejects(smb.list(root, "nothing"), isRefused(STATUS.NO_MORE_FILES));
  assert.equal((await smb.list(root, "some", true)).length, 1);
  await assert.rejects(smb.list(root, "some"), isRefused(STATUS.NO_MORE_FILES));
  await assert.rejects(smb.list(root, "nothing", true), isRefused(STATUS.NO_MORE_FILES));
  await smb.close(root);
});

test("a listing without a pattern has everything, and one begun again what was looked for before", async () => {
  const root = await smb.open("", { isDirectory: true });
  const all = (await smb.list(root, "")).map(({ name }) => name);
  assert.deepEqual(all.slice(0, 2), [".", ".."]);
  assert.ok(all.includes("some"));
  assert.equal((await smb.list(root, "some", true)).length, 1);
  assert.equal((await smb.list(root, "", true)).length, 1);
  await smb.close(root);
});

test("half a character is no name, of a file or of a share", async () => {
  const to = { port: server.port, user: SMB_ACCOUNT, password: SMB_PASSWORD, share: "work\ud800" };
  await assert.rejects(SmbTestClient.connect(to), isRefused(STATUS.BAD_NETWORK_NAME));
  for (const disposition of [DISPOSITION.OPEN, DISPOSITION.OPEN_IF])
    await assert.rejects(smb.open("a\ud800", { disposition }), isRefused(STATUS.OBJECT_NAME_INVALID));
});

test("a directory does not take the place of a file, even one that may be replaced", async () => {
  const file = await smb.open("precious", MADE);
  await smb.write(file, 0, "text");
  await smb.close(file);
  const directory = await smb.open("folder", { ...MADE, isDirectory: true });
  await assert.rejects(smb.rename(directory, "precious", true), isRefused(STATUS.ACCESS_DENIED));
  await smb.close(directory);
  const still = await smb.open("precious");
  assert.equal((await smb.read(still, 0, 10)).toString(), "text");
});

test("a file that waits for its deletion neither takes another name nor gives its own away", async () => {
  const fresh = await smb.open("fresh", MADE);
  const going = await smb.open("going", MADE);
  await smb.setDeletePending(going, true);
  await assert.rejects(smb.rename(going, "elsewhere"), isRefused(STATUS.ACCESS_DENIED));
  await assert.rejects(smb.rename(fresh, "going", true), isRefused(STATUS.ACCESS_DENIED));
  await smb.close(going);
  await smb.rename(fresh, "going", true);
  await smb.close(fresh);
});

test("the root of a share cannot be deleted", async () => {
  const root = await smb.open("", { access: "RD", isDirectory: true });
  await assert.rejects(smb.setDeletePending(root, true), isRefused(STATUS.ACCESS_DENIED));
  await smb.close(root);
  const doomed = { access: "D", isDirectory: true, isDeleteOnClose: true };
  await assert.rejects(smb.open("", doomed), isRefused(STATUS.ACCESS_DENIED));
});

test("an allocation beyond the largest file reports a full disk and leaves no handle", async () => {
  for (const allocation of [2n ** 64n - 1n, 2n ** 63n, 2n ** 43n])
    await assert.rejects(smb.open("vast", { ...MADE, allocation }), isRefused(STATUS.DISK_FULL));
  const alone = await smb.open("vast", { ...MADE, share: "", allocation: 2n ** 42n });
  await smb.close(alone);
});

/** The name at the end of FileAllInformation. */
async function nameOf(path: string, isDirectory = false): Promise<string> {
  const file = await smb.open(path, { isDirectory });
  const all = await smb.queryInfo(file, FILE_CLASS.ALL);
  await smb.close(file);
  return all.toString("utf16le", 100);
}

test("replies spell a path as the share does, whatever the client wrote", async () => {
  await smb.close(await smb.open("Spelled", { ...MADE, isDirectory: true }));
  await smb.close(await smb.open("SPELLED\\Report.txt", MADE));
  assert.equal(await nameOf("spelled\\REPORT.TXT"), "\\Spelled\\Report.txt");
  const root = await smb.open("", { isDirectory: true });
  const seen = smb.watch(root, 0x3, true);
  const file = await smb.open("spelled\\report.txt", { access: "RD" });
  await smb.rename(file, "spelleD\\rePORT.md");
  assert.deepEqual(await seen, ["4 Spelled\\Report.txt", "5 Spelled\\rePORT.md"]);
  const all = await smb.queryInfo(file, FILE_CLASS.ALL);
  assert.equal(all.toString("utf16le", 100), "\\Spelled\\rePORT.md");
  await smb.close(file);
  await smb.close(root);
});
