import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { ShareClient } from "@azure/storage-file-share";
import { ALL_ACCESS, READ, WRITE } from "../../src/concurrency/share-mode.ts";
import type { OpenFile } from "../../src/services/file/open-file.ts";
import { openInode } from "../../src/services/file/opens/open-inode.ts";
import type { Disposition } from "../../src/services/file/opens/open-request.ts";
import { DISPOSITION } from "../../src/smb/wire/create.ts";
import { NOTIFY_ACTION, NOTIFY_FILTER } from "../../src/smb/wire/directory.ts";
import { FILE_CLASS, standardInformation } from "../../src/smb/wire/file-information.ts";
import { STATUS } from "../../src/smb/wire/status.ts";
import { collectAll, type FileKit, refused, sample, useFiles } from "../contract/file/kit.ts";
import { ENGINES } from "../kit/server.ts";
import { SMB_ACCOUNT, SMB_PASSWORD, startSmbServer } from "../kit/smb-server.ts";
import { type ClientFile, SmbStatus, SmbTestClient } from "../kit/smb-test-client.ts";
import { SMBCLIENT_MISSING, smbclient } from "../kit/smbclient.ts";

/** Named streams on the wire: what SMB clients send and see, beside the SDK over REST. */
const connect = (kit: FileKit, share: ShareClient): Promise<SmbTestClient> =>
  SmbTestClient.connect({
    port: kit.server.server.ports.smb,
    user: kit.server.account,
    password: kit.server.key,
    share: share.name,
  });

const answered = (status: number) => (error: unknown) => {
  assert.ok(error instanceof SmbStatus, String(error));
  assert.equal(error.message, new SmbStatus(status).message);
  return true;
};

const MADE = { access: "RW", disposition: DISPOSITION.OPEN_IF } as const;
const KEY = Buffer.from("0123456789abcdef");

/** FileStreamInformation as `name size`. */
async function streamsOf(smb: SmbTestClient, file: ClientFile): Promise<string[]> {
  const data = await smb.queryInfo(file, FILE_CLASS.STREAM);
  const found: string[] = [];
  for (let at = 0; at < data.length; ) {
    const next = data.readUInt32LE(at);
    const nameEnd = at + 24 + data.readUInt32LE(at + 4);
    assert.equal(at % 8, 0, "an entry begins on a boundary of 8 bytes");
    found.push(`${data.toString("utf16le", at + 24, nameEnd)} ${data.readBigUInt64LE(at + 8)}`);
    if (next === 0) break;
    at += next;
  }
  return found;
}

async function idOf(smb: SmbTestClient, file: ClientFile): Promise<bigint> {
  return (await smb.queryInfo(file, FILE_CLASS.INTERNAL)).readBigUInt64LE();
}

async function nameOf(smb: SmbTestClient, file: ClientFile): Promise<string> {
  return (await smb.queryInfo(file, FILE_CLASS.NAME)).toString("utf16le", 4);
}

for (const engine of ENGINES) {
  suite(`named streams over SMB and ${engine}`, () => {
    const kit = useFiles(engine, ["--smbStreams", "kept"]);

    test("a stream is created, read and listed beside the content", async () => {
      const share = await kit.newShare();
      const smb = await connect(kit, share);
      const file = await smb.open("f", MADE);
      await smb.write(file, 0, "content");
      const stream = await smb.open("f:Zone.Identifier", MADE);
      const bytes = sample(50_000);
      await smb.write(stream, 0, bytes);
      const again = await smb.open("F:zone.identifier:$data", { access: "R" });
      assert.equal(again.size, 50_000n);
      assert.ok(bytes.equals(await smb.read(again, 0, 60_000)));
      const content = await smb.open("f::$DATA", { access: "R" });
      assert.equal((await smb.read(content, 0, 100)).toString(), "content");
      for (const one of [file, stream, content]) {
        assert.deepEqual(await streamsOf(smb, one), ["::$DATA 7", ":Zone.Identifier:$DATA 50000"]);
        assert.equal(await idOf(smb, one), await idOf(smb, file));
      }
      assert.equal(await nameOf(smb, stream), "\\f:Zone.Identifier");
      const { endOfFile, directory } = standardInformation.decode(
        await smb.queryInfo(stream, FILE_CLASS.STANDARD),
      );
      assert.deepEqual([endOfFile, directory], [50_000n, 0]);
      const rest = share.rootDirectoryClient.getFileClient("f");
      assert.equal((await rest.downloadToBuffer()).toString(), "content");
      smb.vanish();
    });

    test("a directory has streams and no content", async () => {
      const share = await kit.newShare();
      await share.createDirectory("d");
      const smb = await connect(kit, share);
      const directory = await smb.open("d", { isDirectory: true });
      assert.deepEqual(await streamsOf(smb, directory), []);
      const stream = await smb.open("d:AFP_AfpInfo", MADE);
      await smb.write(stream, 0, "Finder");
      assert.deepEqual(await streamsOf(smb, directory), [":AFP_AfpInfo:$DATA 6"]);
      assert.equal(await idOf(smb, stream), await idOf(smb, directory));
      await assert.rejects(smb.open("d::$DATA", { access: "R" }), answered(STATUS.FILE_IS_A_DIRECTORY));
      await assert.rejects(
        smb.open("d:AFP_AfpInfo", { isDirectory: true }),
        answered(STATUS.NOT_A_DIRECTORY),
      );
      const root = await smb.open(":of the root", MADE);
      await smb.write(root, 0, "root");
      assert.equal(await nameOf(smb, root), "\\:of the root");
      smb.vanish();
    });

    test("names that are no streams are refused", async () => {
      const share = await kit.newShare();
      const smb = await connect(kit, share);
      for (const name of ["f:", "f::", "f:s:", "f:s:$INDEX", "f:a:b:$DATA", "f:s\\g", `f:${"n".repeat(256)}`])
        await assert.rejects(smb.open(name, MADE), answered(STATUS.OBJECT_NAME_INVALID), name);
      const odd = await smb.open('f:\u0001*"<>|? of Samba', MADE);
      await smb.close(odd);
      await assert.rejects(smb.open("f:none", { access: "R" }), answered(STATUS.OBJECT_NAME_NOT_FOUND));
      smb.vanish();
    });

    test("a stream is renamed within its file, and moves with it", async () => {
      const share = await kit.newShare();
      const smb = await connect(kit, share);
      const stream = await smb.open("f:old", { ...MADE, access: "RWD" });
      await smb.write(stream, 0, "text");
      await smb.rename(stream, ":new:$DATA");
      assert.equal(await nameOf(smb, stream), "\\f:new");
      await assert.rejects(smb.rename(stream, "f:other"), answered(STATUS.SHARING_VIOLATION));
      await assert.rejects(smb.rename(stream, "::$DATA"), answered(STATUS.OBJECT_NAME_INVALID));
      const file = await smb.open("f", { access: "D" });
      await assert.rejects(smb.rename(file, ":stream"), answered(STATUS.OBJECT_NAME_INVALID));
      await smb.rename(file, "g");
      assert.equal(await nameOf(smb, stream), "\\g:new");
      assert.deepEqual(await streamsOf(smb, file), ["::$DATA 0", ":new:$DATA 4"]);
      smb.vanish();
    });

    test("a watch of a directory reports streams if it requests them", async () => {
      const share = await kit.newShare();
      const [smb, watcher] = await Promise.all([connect(kit, share), connect(kit, share)]);
      const root = await watcher.open("", { isDirectory: true });
      const streams = NOTIFY_FILTER.STREAM_NAME | NOTIFY_FILTER.STREAM_SIZE | NOTIFY_FILTER.STREAM_WRITE;
      const eventsOf = async (act: () => Promise<unknown>): Promise<string[]> => {
        const watched = watcher.watch(root, streams);
        await act();
        return watched;
      };
      await smb.close(await smb.open("f", MADE));
      let stream: ClientFile | undefined;
      const open = async (): Promise<void> => {
        stream = await smb.open("f:s", { ...MADE, access: "RWD" });
      };
      assert.deepEqual(await eventsOf(open), [`${NOTIFY_ACTION.ADDED_STREAM} f:s:$DATA`]);
      assert.deepEqual(await eventsOf(() => smb.write(stream!, 0, "x")), [
        `${NOTIFY_ACTION.MODIFIED_STREAM} f:s:$DATA`,
      ]);
      await smb.setDeletePending(stream!, true);
      assert.deepEqual(await eventsOf(() => smb.close(stream!)), [
        `${NOTIFY_ACTION.REMOVED_STREAM} f:s:$DATA`,
      ]);
      for (const client of [smb, watcher]) client.vanish();
    });

    test("who watches names learns of a file that came with its stream, and went with it", async () => {
      const share = await kit.newShare();
      const [smb, watcher] = await Promise.all([connect(kit, share), connect(kit, share)]);
      const root = await watcher.open("", { isDirectory: true });
      const added = watcher.watch(root, NOTIFY_FILTER.FILE_NAME);
      const stream = await smb.open("f:s", MADE);
      assert.deepEqual(await added, [`${NOTIFY_ACTION.ADDED} f`]);
      const removed = watcher.watch(root, NOTIFY_FILTER.FILE_NAME);
      const file = await smb.open("f", { access: "D" });
      await smb.setDeletePending(file, true);
      await smb.close(file);
      await smb.close(stream);
      assert.deepEqual(await removed, [`${NOTIFY_ACTION.REMOVED} f`]);
      for (const client of [smb, watcher]) client.vanish();
    });

    test("a stream that only a cache keeps open does not prevent a deletion", async () => {
      const share = await kit.newShare();
      const smb = await connect(kit, share);
      await smb.close(await smb.open("f", MADE));
      const lease = { key: KEY, state: "RH" };
      const kept = await smb.open("f:s", { ...MADE, share: "RW", lease });
      assert.equal(kept.leaseState, "RH");
      const rest = share.rootDirectoryClient.getFileClient("f");
      const deleted = rest.delete();
      const asked = await smb.nextBreak();
      assert.ok(asked.kind === "lease" && asked.to === "R");
      await smb.close(kept);
      await deleted;
      // And for an SMB client that wants to delete the file, as long as it is only kept.
      const again = await smb.open("f:s", { ...MADE, share: "RW", lease });
      const other = await connect(kit, share);
      const opening = other.open("f", { access: "D" });
      assert.equal((await smb.nextBreak()).kind, "lease");
      await smb.close(again);
      await other.close(await opening);
      for (const client of [smb, other]) client.vanish();
    });

    test("caches of a stream and of the content do not disturb each other", async () => {
      const share = await kit.newShare();
      const [smb, other] = await Promise.all([connect(kit, share), connect(kit, share)]);
      const file = await smb.open("f", { ...MADE, lease: { key: KEY, state: "RWH" } });
      assert.equal(file.leaseState, "RWH");
      const stream = await other.open("f:s", { ...MADE, lease: { key: Buffer.alloc(16, 7), state: "RWH" } });
      assert.equal(stream.leaseState, "RWH");
      await other.write(stream, 0, "x");
      await smb.write(file, 0, "y");
      assert.deepEqual([smb.breaksHeard, other.breaksHeard], [0, 0]);
      for (const client of [smb, other]) client.vanish();
    });

    test("an open that a stream's share mode keeps out takes no writes from the holder of a lease", async () => {
      const share = await kit.newShare();
      const [smb, other] = [await connect(kit, share), await connect(kit, share)];
      const file = await smb.open("f", { ...MADE, lease: { key: KEY, state: "RWH" } });
      assert.equal(file.leaseState, "RWH");
      const stream = await other.open("f:s", { ...MADE, share: "RW" });
      const deleting = other.open("f", { access: "RD" });
      const asked = await smb.nextBreak();
      assert.ok(asked.kind === "lease" && asked.to === "RW", JSON.stringify(asked));
      await smb.acknowledgeLease(KEY, "RW");
      await assert.rejects(deleting, answered(STATUS.SHARING_VIOLATION));
      assert.equal(smb.breaksHeard, 0);
      await other.close(stream);
      smb.vanish();
      other.vanish();
    });

    test("Force Close reaches a stream by its file, and its client learns it", async () => {
      const share = await kit.newShare();
      const smb = await connect(kit, share);
      const stream = await smb.open("f:s", MADE);
      const rest = share.rootDirectoryClient.getFileClient("f");
      assert.equal((await collectAll(rest.listHandles())).length, 1);
      await refused(rest.delete(), 409, "SharingViolation");
      assert.equal((await rest.forceCloseAllHandles()).closedHandlesCount, 1);
      await assert.rejects(smb.read(stream, 0, 1), answered(STATUS.FILE_CLOSED));
      await rest.delete();
      smb.vanish();
    });

    test("previous versions have the streams of then", async () => {
      const share = await kit.newShare();
      const smb = await connect(kit, share);
      const stream = await smb.open("f:s", { ...MADE, access: "RWD" });
      await smb.write(stream, 0, "then");
      const { snapshot } = await share.createSnapshot();
      await smb.write(stream, 0, "now!");
      await smb.setDeletePending(stream, true);
      await smb.close(stream);
      const [date, time] = snapshot!.slice(0, 19).split("T");
      const token = `@GMT-${date!.replaceAll("-", ".")}-${time!.replaceAll(":", ".")}`;
      const previous = await smb.open(`${token}\\f:s`, { access: "R" });
      assert.equal((await smb.read(previous, 0, 10)).toString(), "then");
      assert.deepEqual(await streamsOf(smb, previous), ["::$DATA 0", ":s:$DATA 4"]);
      await assert.rejects(smb.write(previous, 0, "x"), answered(STATUS.ACCESS_DENIED));
      const now = await smb.open("f", { access: "R" });
      assert.deepEqual(await streamsOf(smb, now), ["::$DATA 0"]);
      smb.vanish();
    });
  });
}

suite("a server that refuses named streams", () => {
  const kit = useFiles("embedded");

  /** As a server that kept them has left it. */
  const opened = (share: ShareClient, path: string, disposition: Disposition): Promise<OpenFile> =>
    openInode(kit.files, {
      ref: { account: kit.server.account, share: share.name, path: [path] },
      stream: "s",
      access: READ | WRITE,
      shareMode: ALL_ACCESS,
      disposition,
      session: 1n,
      clientAddress: "",
      clientName: "",
    });

  test("names none, and removes those of earlier with their file", async () => {
    const share = await kit.newShare();
    for (const path of ["stays", "goes", "replaced"]) await (await opened(share, path, "create")).close();
    const smb = await connect(kit, share);
    for (const name of ["stays:s", "stays::$DATA", "new:s", "new::$DATA"])
      await assert.rejects(smb.open(name, MADE), answered(STATUS.OBJECT_NAME_INVALID), name);
    const stays = await smb.open("stays", { access: "RD" });
    assert.deepEqual(await streamsOf(smb, stays), ["::$DATA 0"]);
    await assert.rejects(smb.rename(stays, ":other"), answered(STATUS.OBJECT_NAME_INVALID));
    await smb.close(await smb.open("goes", { access: "D", isDeleteOnClose: true }));
    const replacing = { access: "RW", disposition: DISPOSITION.OVERWRITE_IF };
    await smb.close(await smb.open("replaced", replacing));
    await smb.close(await smb.open("goes", MADE));
    smb.vanish();
    assert.equal((await opened(share, "stays", "openIf")).action, "opened");
    for (const path of ["goes", "replaced"])
      assert.equal((await opened(share, path, "openIf")).action, "created", path);
  });
});

suite("smbclient and named streams", { skip: SMBCLIENT_MISSING ?? false }, () => {
  let server: Awaited<ReturnType<typeof startSmbServer>>;
  let folder: string;
  before(async () => {
    server = await startSmbServer({ streams: "kept" });
    folder = mkdtempSync(join(tmpdir(), "holdfast-streams-"));
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  test("smbclient puts a stream, lists it with allinfo, gets it back and deletes it", async () => {
    const [sent, back] = [join(folder, "sent"), join(folder, "back")];
    const bytes = sample(70_000);
    writeFileSync(sent, bytes);
    const run = (commands: readonly string[]) =>
      smbclient({
        port: server.port,
        share: "work",
        user: SMB_ACCOUNT,
        password: SMB_PASSWORD,
        commands,
        directory: folder,
      });
    const made = await run([
      "put sent file",
      "put sent file:stream",
      "allinfo file",
      "get file:stream back",
      "ls",
    ]);
    assert.equal(made.code, 0, made.output);
    assert.match(made.output, /stream: \[::\$DATA\], 70000 bytes/);
    assert.match(made.output, /stream: \[:stream:\$DATA\], 70000 bytes/);
    assert.ok(bytes.equals(readFileSync(back)));
    assert.doesNotMatch(made.output, /file:stream +A/);
    const gone = await run(["rm file", "put sent file", "allinfo file"]);
    assert.equal(gone.code, 0, gone.output);
    assert.doesNotMatch(gone.output, /:stream:/);
  });
});
