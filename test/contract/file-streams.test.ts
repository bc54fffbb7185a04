import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ShareClient } from "@azure/storage-file-share";
import { DELETE, NO_ACCESS, READ, WRITE } from "../../src/concurrency/share-mode.ts";
import { endHandle } from "../../src/services/file/handles.ts";
import { FILE_LIMITS } from "../../src/services/file/limits.ts";
import type { OpenFile } from "../../src/services/file/open-file.ts";
import { openInode } from "../../src/services/file/opens/open-inode.ts";
import type { Disposition, OpenRequest } from "../../src/services/file/opens/open-request.ts";
import { readSnapshotTimes, readSpace } from "../../src/services/file/opens/share-queries.ts";
import { fileJobs } from "../../src/services/file/reclaim.ts";
import { packKey, prefixRange } from "../../src/store/keys/pack.ts";
import { ENGINES } from "../kit/server.ts";
import { collectAll, type FileKit, refusal, refused, sample, useFiles } from "./file/kit.ts";

/** Named streams of files and directories: by handle, and as REST meets them without a name for them. */
const ALL = READ | WRITE | DELETE;
const CLIENT = { session: 1n, clientAddress: "10.0.0.9:1", clientName: "workstation" };

function open(
  kit: FileKit,
  share: ShareClient,
  path: string,
  disposition: Disposition,
  more: Partial<OpenRequest> = {},
): Promise<OpenFile> {
  const [names = "", stream] = path.split(":");
  return openInode(kit.files, {
    mayCommitAsync: true,
    ref: { account: kit.server.account, share: share.name, path: names === "" ? [] : names.split("/") },
    stream,
    access: READ | WRITE,
    shareMode: ALL,
    disposition,
    ...CLIENT,
    ...more,
  });
}

const put = async (handle: OpenFile, data: Buffer | string) => {
  await handle.write({
    offset: 0,
    data: Buffer.from(data),
    mayCommitAsync: true,
  });
};

const read = async (handle: OpenFile): Promise<string> =>
  Buffer.concat(await handle.read({ from: 0, to: 1 << 23 })).toString();

/** Makes a stream with this content. */
async function make(kit: FileKit, share: ShareClient, path: string, data: Buffer | string): Promise<void> {
  const handle = await open(kit, share, path, "openIf");
  await put(handle, data);
  await handle.close();
}

async function readAt(kit: FileKit, share: ShareClient, path: string): Promise<string> {
  const handle = await open(kit, share, path, "open", { access: READ });
  const text = await read(handle);
  await handle.close();
  return text;
}

/** Names and sizes, as FileStreamInformation reports them. */
async function streamsAt(kit: FileKit, share: ShareClient, path: string): Promise<string[]> {
  const handle = await open(kit, share, path, "open", { access: NO_ACCESS });
  const { named } = await handle.streams();
  await handle.close();
  return named.map(({ name, inode }) => `${name} ${inode.record.size}`);
}

const used = async (kit: FileKit, share: ShareClient): Promise<number> =>
  (await readSpace(kit.files, { account: kit.server.account, share: share.name })).usedBytes;

async function sweep(kit: FileKit): Promise<void> {
  for (const job of fileJobs(kit.files))
    for (let step = 0; step < 10_000 && (await job.run()) === "more"; step++);
}

/** How many records of streams, inodes and ranges the store holds. */
async function kept(kit: FileKit): Promise<number> {
  const { store } = kit.server.runtime.parts;
  return store.read(async (reader) => {
    let count = 0;
    for (const family of ["fd", "fn", "fr", "fe"])
      for await (const _ of reader.range(prefixRange(packKey([family])))) count++;
    return count;
  });
}

for (const engine of ENGINES) {
  suite(`named streams over ${engine}`, () => {
    const kit = useFiles(engine);

    test("each disposition means the stream, and makes the file where there is none", async () => {
      const share = await kit.newShare();
      await assert.rejects(open(kit, share, "f:s", "open"), refusal("ResourceNotFound"));
      const made = await open(kit, share, "f:s", "create");
      assert.deepEqual(
        [made.action, made.opened.isBaseNew, made.opened.path, made.opened.stream],
        ["created", true, ["f"], "s"],
      );
      await put(made, "stream");
      await made.close();
      assert.equal(await readAt(kit, share, "f"), "");
      assert.equal(await readAt(kit, share, "F:S"), "stream");
      await assert.rejects(open(kit, share, "f:S", "create"), refusal("ResourceAlreadyExists"));
      await assert.rejects(open(kit, share, "f:t", "overwrite"), refusal("ResourceNotFound"));
      await make(kit, share, "f", "content");
      for (const [disposition, action] of [
        ["openIf", "opened"],
        ["overwriteIf", "overwritten"],
        ["supersede", "superseded"],
      ] as const) {
        const again = await open(kit, share, "f:s", disposition);
        assert.equal(again.action, action);
        assert.equal(again.opened.stream, "s");
        await put(again, disposition);
        assert.equal(await read(again), disposition);
        await again.resize(1);
        await again.close();
      }
      assert.equal(await readAt(kit, share, "f"), "content");
      await assert.rejects(
        open(kit, share, "f:s", "open", { kind: "directory" }),
        refusal("ResourceTypeMismatch"),
      );
      await assert.rejects(open(kit, share, "none/f:s", "create"), refusal("ParentNotFound"));
    });

    test("its content is its own, and all else is the file's", async () => {
      const share = await kit.newShare();
      await make(kit, share, "f", "content");
      const file = share.rootDirectoryClient.getFileClient("f");
      const before = await file.getProperties();
      kit.server.clock.advance(5_000);
      const stream = await open(kit, share, "f:s", "create");
      const bytes = sample(100_000);
      await put(stream, bytes);
      const after = await file.getProperties();
      assert.equal(after.etag, before.etag);
      assert.equal(after.contentLength, 7);
      assert.ok(after.fileLastWriteOn! > before.fileLastWriteOn!);
      await stream.change({ attributes: 0x2, createdAt: 630_000_000_000_000_000n });
      const { record } = await stream.properties();
      const base = await open(kit, share, "f", "open");
      const own = (await base.properties()).record;
      assert.deepEqual({ ...record, size: 7, content: own.content, dataRevision: own.dataRevision }, own);
      assert.equal(own.attributes, 0x2);
      const eas = [{ name: "user.origin", value: Buffer.from("scanner"), isNeeded: false }];
      await stream.setExtendedAttributes(eas);
      assert.deepEqual(await base.extendedAttributes(), eas);
      assert.equal(record.size, 100_000);
      assert.equal((await file.getProperties()).fileAttributes, "Hidden | Archive");
      // A lock of a part of the one is none of the other.
      await stream.lock([{ offset: 0n, length: 100n, isExclusive: true }]);
      await put(base, "written");
      await refused(put(await open(kit, share, "f:s", "open"), "x"), 409, "FileLockConflict");
      await file.uploadRange("rest", 0, 4);
      assert.equal((await file.downloadToBuffer()).toString(), "restten");
      assert.ok(bytes.equals(Buffer.concat(await stream.read({ from: 0, to: 1 << 20 }))));
    });

    test("no listing shows them, and the quota counts them", async () => {
      const share = await kit.newShare();
      await make(kit, share, "f", "content");
      await make(kit, share, "f:s", sample(30_000));
      await make(kit, share, ":of the root", "root");
      assert.equal(await used(kit, share), 30_011);
      const names = await collectAll(share.rootDirectoryClient.listFilesAndDirectories());
      assert.deepEqual(
        names.map(({ name }) => name),
        ["f"],
      );
      const root = await open(kit, share, "", "open", { access: NO_ACCESS });
      assert.equal((await root.list({ after: undefined, limit: 10 })).length, 1);
      assert.deepEqual(await streamsAt(kit, share, "f"), ["s 30000"]);
      assert.deepEqual(await streamsAt(kit, share, "f:s"), ["s 30000"]);
      assert.deepEqual(await streamsAt(kit, share, ""), ["of the root 4"]);
    });

    test("what a file had goes with it, however it goes", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      await make(kit, share, "dir", "x");
      await sweep(kit);
      const records = await kept(kit);
      const ways: Readonly<Record<string, () => Promise<unknown>>> = {
        "Delete File": () => root.getFileClient("f").delete(),
        "Create File": async () => {
          await root.getFileClient("f").create(0);
          assert.deepEqual(await streamsAt(kit, share, "f"), []);
          await root.getFileClient("f").delete();
        },
        "Rename File over it": async () => {
          await root.getFileClient("g").create(3);
          await root.getFileClient("g").rename("f", { replaceIfExists: true });
          assert.deepEqual(await streamsAt(kit, share, "f"), []);
          await root.getFileClient("f").delete();
        },
        "an overwriting open": async () => {
          await (await open(kit, share, "f", "overwriteIf")).close();
          assert.deepEqual(await streamsAt(kit, share, "f"), []);
          await root.getFileClient("f").delete();
        },
        "delete on close": async () => {
          const handle = await open(kit, share, "f", "open", { access: DELETE, isDeleteOnClose: true });
          assert.equal(await handle.close(), "removed");
        },
        "a rename over it by handle": async () => {
          const other = await open(kit, share, "other", "create", { access: ALL });
          await other.rename({ path: ["f"], isReplacing: true });
          assert.deepEqual(await streamsAt(kit, share, "f"), []);
          await other.setDeletePending(true);
          await other.close();
        },
      };
      for (const [way, remove] of Object.entries(ways)) {
        const usedBefore = await used(kit, share);
        await make(kit, share, "f", sample(20_000));
        await make(kit, share, "f:one", sample(200_000, 2));
        await make(kit, share, "f:two", "small");
        await remove();
        await sweep(kit);
        assert.equal(await kept(kit), records, way);
        assert.equal(await used(kit, share), usedBefore, way);
      }
      // A directory, by REST and by handle.
      for (const by of ["REST", "handle"]) {
        await root.getDirectoryClient("d").create();
        await make(kit, share, "d:s", sample(9_000));
        assert.deepEqual(await streamsAt(kit, share, "d"), ["s 9000"]);
        if (by === "REST") await root.getDirectoryClient("d").delete();
        else {
          const handle = await open(kit, share, "d", "open", { access: DELETE, isDeleteOnClose: true });
          assert.equal(await handle.close(), "removed");
        }
        await sweep(kit);
        assert.equal(await kept(kit), records, by);
      }
    });

    test("a stream is deleted alone, and the file knows when it was the last", async () => {
      const share = await kit.newShare();
      await make(kit, share, "f:one", "1");
      await make(kit, share, "f:two", "22");
      const doomed = await open(kit, share, "f:one", "open", { access: ALL });
      const other = await open(kit, share, "f:one", "open");
      await doomed.setDeletePending(true);
      assert.equal((await other.properties()).isDeletePending, true);
      await assert.rejects(open(kit, share, "f:one", "open"), refusal("SMBDeletePending"));
      assert.equal(await doomed.close(), "closed");
      assert.deepEqual(await streamsAt(kit, share, "f"), ["one 1", "two 2"]);
      assert.equal(await other.close(), "removed");
      assert.deepEqual(await streamsAt(kit, share, "f"), ["two 2"]);
      assert.equal(await used(kit, share), 2);
      const last = await open(kit, share, "f:two", "open", { access: DELETE, isDeleteOnClose: true });
      assert.equal(await last.close(), "removed");
      const file = await open(kit, share, "f", "open");
      assert.equal((await file.properties()).record.hasStreams, undefined);
      await file.close();
    });

    test("a read-only file protects its streams, a read-only directory does not", async () => {
      const share = await kit.newShare();
      await make(kit, share, "f:s", "stream");
      const file = await open(kit, share, "f", "open");
      await file.change({ attributes: 0x1 });
      await assert.rejects(open(kit, share, "f:s", "open"), refusal("ReadOnlyAttribute"));
      await assert.rejects(open(kit, share, "f:new", "create"), refusal("ReadOnlyAttribute"));
      const doomed = await open(kit, share, "f:s", "open", { access: DELETE });
      await assert.rejects(doomed.setDeletePending(true), refusal("CannotDeleteFileOrDirectory"));
      assert.equal(await readAt(kit, share, "f:s"), "stream");
      await share.createDirectory("d");
      const directory = await open(kit, share, "d", "open", { access: NO_ACCESS });
      await directory.change({ attributes: 0x11 });
      await make(kit, share, "d:s", "may be written");
      assert.equal(await readAt(kit, share, "d:s"), "may be written");
    });

    test("opens of a stream meet each other, and who wants to delete the file", async () => {
      const share = await kit.newShare();
      await make(kit, share, "f:s", "stream");
      const alone = await open(kit, share, "f:s", "open", { shareMode: READ });
      await assert.rejects(open(kit, share, "f:s", "open"), refusal("SharingViolation"));
      const file = await open(kit, share, "f", "open", { shareMode: NO_ACCESS });
      const other = await open(kit, share, "f:t", "openIf", { shareMode: NO_ACCESS });
      await file.close();
      await other.close();
      await assert.rejects(open(kit, share, "f", "open", { access: DELETE }), refusal("SharingViolation"));
      await alone.close();
      const deleter = await open(kit, share, "f", "open", { access: DELETE });
      await assert.rejects(
        open(kit, share, "f:s", "open", { shareMode: READ | WRITE }),
        refusal("SharingViolation"),
      );
      await (await open(kit, share, "f:s", "open", { access: DELETE })).close();
      await deleter.close();
    });

    test("a file that is to go stays as long as one of its streams is open", async () => {
      const share = await kit.newShare();
      await make(kit, share, "f", "content");
      await make(kit, share, "f:s", "stream");
      const stream = await open(kit, share, "f:s", "open");
      const file = await open(kit, share, "f", "open", { access: DELETE });
      await file.setDeletePending(true);
      assert.equal(await file.close(), "closed");
      assert.equal(await read(stream), "stream");
      assert.equal((await stream.properties()).isDeletePending, true);
      for (const path of ["f", "f:s", "f:new"])
        await assert.rejects(open(kit, share, path, "openIf"), refusal("SMBDeletePending"));
      const rest = share.rootDirectoryClient.getFileClient("f");
      await refused(rest.getProperties(), 409, "SMBDeletePending");
      assert.equal(await stream.close(), "withFile");
      await refused(rest.getProperties(), 404, "ResourceNotFound");
      assert.equal(await used(kit, share), 0);
      // Both go with one handle.
      await make(kit, share, "f:s", "again");
      const both = await open(kit, share, "f:s", "open", { access: DELETE, isDeleteOnClose: true });
      const base = await open(kit, share, "f", "open", { access: DELETE });
      await base.setDeletePending(true);
      await base.close();
      assert.equal(await both.close(), "withFile");
      await make(kit, share, "f:s", "anew");
      assert.equal(await readAt(kit, share, "f:s"), "anew");
    });

    test("REST meets an open stream as an open of the file, lists it there and ends it there", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      await root.getDirectoryClient("d").create();
      await make(kit, share, "d/f", "content");
      const stream = await open(kit, share, "d/f:s", "create", { shareMode: READ | WRITE });
      const file = root.getDirectoryClient("d").getFileClient("f");
      await refused(file.delete(), 409, "SharingViolation");
      await refused(file.create(0), 409, "SharingViolation");
      await refused(file.rename("d/g"), 409, "SharingViolation");
      await refused(root.getDirectoryClient("d").rename("e"), 409, "SharingViolation");
      await file.uploadRange("CON", 0, 3);
      assert.equal((await file.downloadToBuffer()).toString(), "CONtent");
      for (const list of [
        file.listHandles(),
        root.listHandles({ recursive: true }),
        root.getDirectoryClient("d").listHandles({ recursive: true }),
      ]) {
        const handles = await collectAll(list);
        assert.deepEqual(
          handles.map(({ handleId, path, fileId }) => [handleId, path, fileId]),
          [[String(stream.id), "d/f", String(stream.base)]],
        );
      }
      const { closedHandlesCount } = await file.forceCloseAllHandles();
      assert.equal(closedHandlesCount, 1);
      await assert.rejects(read(stream), refusal("ResourceNotFound"));
      assert.deepEqual(await collectAll(root.listHandles({ recursive: true })), []);
      await file.delete();
    });

    test("REST that may replace the file takes its streams from under open handles", async () => {
      const share = await kit.newShare();
      await make(kit, share, "f:s", "stream");
      const stream = await open(kit, share, "f:s", "open");
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(4);
      await assert.rejects(read(stream), refusal("ResourceNotFound"));
      assert.equal(await stream.close(), "closed");
      assert.deepEqual(await streamsAt(kit, share, "f"), []);
      await file.delete();
    });

    test("a directory moves with its streams, and not while one below it is open", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      await root.getDirectoryClient("d").create();
      await make(kit, share, "d:own", "of the directory");
      await make(kit, share, "d/f:s", "of the file");
      const own = await open(kit, share, "d:own", "open");
      await root.getDirectoryClient("d").rename("e");
      assert.equal(await read(own), "of the directory");
      await own.close();
      assert.equal(await readAt(kit, share, "e/f:s"), "of the file");
      const below = await open(kit, share, "e/f:s", "open");
      await refused(root.getDirectoryClient("e").rename("d"), 409, "SharingViolation");
      await below.close();
    });

    test("a renamed file keeps its streams, and a copy does not take them along", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      await make(kit, share, "f", "content");
      await make(kit, share, "f:s", "stream");
      await root.getFileClient("f").rename("g");
      assert.equal(await readAt(kit, share, "g:s"), "stream");
      const renamed = await open(kit, share, "g", "open", { access: ALL });
      const stream = await open(kit, share, "g:s", "open");
      await renamed.rename({ path: ["h"], isReplacing: false });
      assert.equal(await read(stream), "stream");
      await renamed.close();
      await stream.close();
      const copy = root.getFileClient("copy");
      await copy.startCopyFromURL(root.getFileClient("h").url);
      assert.equal((await copy.downloadToBuffer()).toString(), "content");
      assert.deepEqual(await streamsAt(kit, share, "copy"), []);
      assert.deepEqual(await streamsAt(kit, share, "h"), ["s 6"]);
    });

    test("a stream gets another name within its file", async () => {
      const share = await kit.newShare();
      await make(kit, share, "f:one", "1");
      await make(kit, share, "f:two", "22");
      const one = await open(kit, share, "f:one", "open", { access: ALL });
      await assert.rejects(
        one.renameStream({ name: "TWO", isReplacing: false }),
        refusal("ResourceAlreadyExists"),
      );
      const two = await open(kit, share, "f:two", "open");
      await assert.rejects(one.renameStream({ name: "two", isReplacing: true }), refusal("SharingViolation"));
      await two.close();
      await one.renameStream({ name: "Two", isReplacing: true });
      assert.equal(await read(one), "1");
      assert.deepEqual(await streamsAt(kit, share, "f"), ["Two 1"]);
      await one.renameStream({ name: "TWO", isReplacing: false });
      await one.close();
      assert.deepEqual(await streamsAt(kit, share, "f"), ["TWO 1"]);
      assert.equal(await used(kit, share), 1);
    });

    test("a snapshot shows the streams of then", async () => {
      const share = await kit.newShare();
      await make(kit, share, "f:changed", "before");
      await make(kit, share, "f:removed", "still there");
      await make(kit, share, "gone:s", "with its file");
      await share.createSnapshot();
      const account = kit.server.account;
      const [snapshot] = await readSnapshotTimes(kit.files, { account, share: share.name });
      await make(kit, share, "f:changed", "after!");
      await make(kit, share, "f:later", "x");
      const removed = await open(kit, share, "f:removed", "open", { access: DELETE, isDeleteOnClose: true });
      await removed.close();
      await share.rootDirectoryClient.getFileClient("gone").delete();
      await sweep(kit);
      const openThen = (path: string, stream?: string) => {
        const ref = { account, share: share.name, snapshot, path: [path] };
        return open(kit, share, "", "open", { ref, stream, access: READ });
      };
      const then = async (path: string, stream: string): Promise<string> => {
        return read(await openThen(path, stream));
      };
      assert.equal(await then("f", "changed"), "before");
      assert.equal(await then("f", "removed"), "still there");
      assert.equal(await then("gone", "s"), "with its file");
      await assert.rejects(then("f", "later"), refusal("ResourceNotFound"));
      const earlier = await openThen("f");
      const { named } = await earlier.streams();
      assert.deepEqual(
        named.map(({ name }) => name),
        ["changed", "removed"],
      );
      assert.deepEqual(await streamsAt(kit, share, "f"), ["changed 6", "later 1"]);
    });

    test("a file has so many streams and no more", async () => {
      const share = await kit.newShare();
      const { streamsPerInodeMax } = FILE_LIMITS;
      for (let i = 0; i < streamsPerInodeMax; i++) await (await open(kit, share, `f:${i}`, "create")).close();
      await assert.rejects(open(kit, share, "f:more", "create"), refusal("TooManyStreams"));
      await (await open(kit, share, "f:0", "open")).close();
      assert.equal((await streamsAt(kit, share, "f")).length, streamsPerInodeMax);
      await share.rootDirectoryClient.getFileClient("f").delete();
    });

    test("two who create the same stream at once: one creates, the other opens", async () => {
      const share = await kit.newShare();
      for (let round = 0; round < 10; round++) {
        const handles = await Promise.all(
          Array.from({ length: 4 }, () => open(kit, share, `f${round}:s`, "openIf")),
        );
        assert.equal(new Set(handles.map(({ inode }) => inode)).size, 1);
        assert.equal(new Set(handles.map(({ base }) => base)).size, 1);
        assert.equal(handles.filter(({ action }) => action === "created").length, 1);
        for (const handle of handles) await endHandle(kit.files, handle, { isForced: true });
      }
      assert.deepEqual(await collectAll(share.rootDirectoryClient.listHandles({ recursive: true })), []);
    });

    test("a deleted share leaves nothing of its streams", async () => {
      await sweep(kit);
      const before = await kept(kit);
      const share = await kit.newShare();
      await make(kit, share, "f:s", sample(50_000));
      await share.delete();
      kit.server.clock.advance(8 * 24 * 3_600_000);
      await sweep(kit);
      assert.equal(await kept(kit), before);
    });
  });
}
