import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ShareClient, ShareFileClient } from "@azure/storage-file-share";
import { revisionAt } from "../../src/base/revision.ts";
import { DELETE, READ, WRITE } from "../../src/concurrency/share-mode.ts";
import type { OpenFile } from "../../src/services/file/open-file.ts";
import { forgetUnusedMarks } from "../../src/services/file/opened-marks.ts";
import { openInode } from "../../src/services/file/opens/open-inode.ts";
import { hasHandle, mayAccess } from "../kit/lock-access.ts";
import { ENGINES } from "../kit/server.ts";
import { collectAll, type FileKit, refusal, refused, useFiles } from "./file/kit.ts";

/** REST calls against what SMB clients have open: the matrices, through the service and over HTTP. */
const BITS: Readonly<Record<string, number>> = { R: READ, W: WRITE, D: DELETE };
const bits = (text: string): number => [...text].reduce((all, letter) => all | BITS[letter]!, 0);
const SHARE_MODES = ["", "R", "W", "D", "RW", "RD", "WD", "RWD"];
const ACCESSES = ["", "R", "W", "D", "RW", "RD", "WD", "RWD"];

function open(
  kit: FileKit,
  share: ShareClient,
  path: string,
  access: string,
  shareMode: string,
  isDeleteOnClose = false,
): Promise<OpenFile> {
  return openInode(kit.files, {
    ref: {
      account: kit.server.account,
      share: share.name,
      path: path.split("/").filter((name) => name !== ""),
    },
    access: bits(access),
    shareMode: bits(shareMode),
    session: 7n,
    clientAddress: "10.0.0.9:50000",
    clientName: "workstation",
    isDeleteOnClose,
  });
}

interface Call {
  readonly name: string;
  run(file: ShareFileClient): Promise<unknown>;
}

const GUID = "11111111-2222-3333-4444-555555555555";

const CALLS: readonly Call[] = [
  { name: "Create File", run: (file) => file.create(5) },
  { name: "Get File", run: (file) => file.downloadToBuffer() },
  { name: "Set Properties", run: (file) => file.setHttpHeaders({ fileContentType: "a/b" }) },
  { name: "Set Metadata", run: (file) => file.setMetadata({ a: "1" }) },
  { name: "Put Range", run: (file) => file.uploadRange("abc", 0, 3) },
  { name: "List Ranges", run: (file) => file.getRangeList() },
  { name: "Get Properties", run: (file) => file.getProperties() },
];

/** Columns as in the published matrix; F is 409 SharingViolation. */
const MATRIX: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "": {
    "Create File": "F",
    "Get File": "F",
    "Set Properties": "F",
    "Set Metadata": "F",
    "Put Range": "F",
    "List Ranges": "F",
  },
  R: { "Create File": "F", "Set Properties": "F", "Set Metadata": "F", "Put Range": "F" },
  W: { "Create File": "F", "Get File": "F", "List Ranges": "F" },
  D: {
    "Create File": "F",
    "Get File": "F",
    "Set Properties": "F",
    "Set Metadata": "F",
    "Put Range": "F",
    "List Ranges": "F",
  },
  RW: { "Create File": "F" },
  RD: { "Create File": "F", "Set Properties": "F", "Set Metadata": "F", "Put Range": "F" },
  WD: { "Get File": "F", "List Ranges": "F" },
  RWD: {},
};

for (const engine of ENGINES) {
  suite(`handles over ${engine}`, () => {
    const kit = useFiles(engine);

    test("every share mode meets every REST call as the matrix says", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      for (const mode of SHARE_MODES) {
        for (const access of ["R", "W"]) {
          await file.create(5);
          const handle = await open(kit, share, "f", access, mode);
          for (const { name, run } of CALLS) {
            if (MATRIX[mode]![name] === "F") await refused(run(file), 409, "SharingViolation");
            else await run(file);
          }
          await refused(file.delete(), 409, "SharingViolation");
          const listed = await collectAll(share.rootDirectoryClient.listFilesAndDirectories());
          assert.deepEqual(
            listed.map(({ name }) => name),
            ["f"],
          );
          const isLeasable = mode === "RWD" && access === "R";
          const lease = file.getShareLeaseClient(GUID);
          if (isLeasable) {
            await lease.acquireLease();
            await lease.releaseLease();
          } else await refused(lease.acquireLease(), 409, "SharingViolation");
          await handle.close();
        }
      }
      await file.delete();
    });

    test("a lease is given by the access of the handles, and holds off opens by theirs", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(5);
      const lease = file.getShareLeaseClient(GUID);
      for (const access of ACCESSES) {
        const handle = await open(kit, share, "f", access, "RWD");
        if (access === "" || access === "R") {
          await lease.acquireLease();
          await lease.releaseLease();
        } else await refused(lease.acquireLease(), 409, "SharingViolation");
        await handle.close();
      }
      await lease.acquireLease();
      for (const access of ACCESSES) {
        if (access === "" || access === "R") await (await open(kit, share, "f", access, "RWD")).close();
        else await assert.rejects(open(kit, share, "f", access, "RWD"), refusal("SharingViolation"));
      }
      await lease.breakLease();
      for (const access of ACCESSES) await (await open(kit, share, "f", access, "RWD")).close();
    });

    test("an open that overwrites leaves nothing of the content, whatever its length, but to snapshots", async () => {
      const share = await kit.newShare();
      const lengths = [0, 3, 20_000, 9 * 30_000];
      for (const length of lengths) {
        const file = share.rootDirectoryClient.getFileClient(`f${length}`);
        await file.create(length);
        // In ranges with gaps: more ranges than go in one transaction.
        for (let at = 0; at < length; at += 30_000)
          await file.uploadRange(Buffer.alloc(Math.min(length, 20_000), 7), at, Math.min(length, 20_000));
      }
      const earlier = share.withSnapshot((await share.createSnapshot()).snapshot!);
      for (const length of lengths) {
        const ref = { account: kit.server.account, share: share.name, path: [`f${length}`] };
        const opened = await openInode(kit.files, {
          ref,
          disposition: "overwriteIf",
          access: WRITE,
          shareMode: READ,
          session: 7n,
          clientAddress: "10.0.0.9:50000",
          clientName: "workstation",
        });
        assert.equal(opened.action, "overwritten");
        assert.equal(opened.opened.record.size, 0);
        await opened.close();
        const file = share.rootDirectoryClient.getFileClient(`f${length}`);
        assert.deepEqual((await file.getRangeList()).rangeList, []);
        const before = earlier.rootDirectoryClient.getFileClient(`f${length}`);
        const kept = length === 0 ? Buffer.alloc(0) : await before.downloadToBuffer();
        assert.equal(kept.length, length);
        assert.equal(
          kept.filter((byte) => byte === 7).length,
          Math.ceil(length / 30_000) * Math.min(length, 20_000),
        );
      }
    });

    test("the time of the last access that an SMB client sets is listed", async () => {
      const share = await kit.newShare();
      await share.rootDirectoryClient.getFileClient("f").create(5);
      const handle = await open(kit, share, "f", "RW", "RWD");
      const accessedOn = new Date("2020-02-03T04:05:06.000Z");
      await handle.change({ accessedAt: revisionAt(accessedOn.getTime()) });
      await handle.close();
      const root = share.rootDirectoryClient;
      const [listed] = await collectAll(root.listFilesAndDirectories({ includeTimestamps: true }));
      assert.deepEqual(listed!.properties!.lastAccessTime, accessedOn);
    });

    test("opens meet each other by access and share mode", async () => {
      const share = await kit.newShare();
      await share.rootDirectoryClient.getFileClient("f").create(5);
      const first = await open(kit, share, "f", "W", "W");
      await assert.rejects(open(kit, share, "f", "W", "R"), refusal("SharingViolation"));
      const second = await open(kit, share, "F", "W", "RW");
      await first.close();
      await second.close();
      assert.equal(await second.close(), "unknown");
    });

    test("any lock stops a REST write of any range; an exclusive one stops reading its range", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(2_000);
      const handle = await open(kit, share, "f", "RW", "RWD");
      await handle.lock([{ offset: 0n, length: 100n, isExclusive: true }]);
      await refused(file.uploadRange("abc", 1_000, 3), 409, "FileLockConflict");
      await refused(file.clearRange(1_000, 3), 409, "FileLockConflict");
      await refused(file.setMetadata({ a: "1" }), 409, "FileLockConflict");
      await refused(file.downloadToBuffer(50, 10), 409, "FileLockConflict");
      assert.equal((await file.downloadToBuffer(500, 10)).length, 10);
      await file.getProperties();
      const other = await open(kit, share, "f", "RW", "RWD");
      const range = { offset: 50n, length: 1n };
      await assert.rejects(other.lock([{ ...range, isExclusive: false }]), refusal("FileLockConflict"));
      assert.equal(await mayAccess(kit.files, other, range, "read"), false);
      assert.equal(await mayAccess(kit.files, handle, range, "write"), true);
      assert.equal(await handle.unlock({ offset: 0n, length: 99n }), "notLocked");
      assert.equal(await handle.unlock({ offset: 0n, length: 100n }), "unlocked");
      await other.lock([{ offset: 0n, length: 1n, isExclusive: false }]);
      await refused(file.uploadRange("abc", 1_000, 3), 409, "FileLockConflict");
      assert.equal((await file.downloadToBuffer(0, 10)).length, 10);
      // The locks of a handle go with it.
      await other.close();
      await file.uploadRange("abc", 1_000, 3);
      await handle.close();
    });

    test("a lock is granted although REST writes never pause", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(2_000);
      const handle = await open(kit, share, "f", "RW", "RWD");
      const lock = { offset: 0n, length: 1n, isExclusive: true };
      let isOver = false;
      const writers = Array.from({ length: 6 }, async (_, i) => {
        while (!isOver) {
          await file.uploadRange("abc", i * 10, 3).catch((error: { code?: string }) => {
            if (error.code !== "FileLockConflict") throw error;
          });
        }
      });
      try {
        for (let round = 0; round < 10; round++) {
          await handle.lock([lock]);
          await handle.unlock(lock);
        }
      } finally {
        isOver = true;
        await Promise.all(writers);
      }
      await handle.close();
    });

    test("a file to be deleted answers nothing else, is not listed, and goes with its last handle", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      const file = root.getFileClient("f");
      await file.create(5);
      const first = await open(kit, share, "f", "RD", "RWD");
      const second = await open(kit, share, "f", "R", "RWD");
      await first.setDeletePending(true);
      for (const { run } of CALLS) await refused(run(file), 409, "SMBDeletePending");
      await refused(file.delete(), 409, "SMBDeletePending");
      await refused(file.getShareLeaseClient(GUID).acquireLease(), 409, "SMBDeletePending");
      await refused(file.rename("g"), 409, "SMBDeletePending");
      await refused(file.startCopyFromURL(file.url), 409, "SMBDeletePending");
      await refused(root.getFileClient("other").startCopyFromURL(file.url), 409, "SMBDeletePending");
      await refused(root.getDirectoryClient("f").create(), 409, "SMBDeletePending");
      await assert.rejects(open(kit, share, "f", "R", "RWD"), refusal("SMBDeletePending"));
      assert.deepEqual(await collectAll(root.listFilesAndDirectories()), []);
      // The mark can be taken back.
      await first.setDeletePending(false);
      await file.getProperties();
      await first.setDeletePending(true);
      await first.close();
      await refused(file.getProperties(), 409, "SMBDeletePending");
      await second.close();
      await refused(file.getProperties(), 404, "ResourceNotFound");
    });

    test("delete on close takes effect when the handle closes, and not when it is cut off", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      await root.getFileClient("a").create(5);
      await root.getFileClient("b").create(5);
      await (await open(kit, share, "a", "RD", "RWD", true)).close();
      await refused(root.getFileClient("a").getProperties(), 404, "ResourceNotFound");
      await open(kit, share, "b", "RD", "RWD", true);
      assert.equal((await root.getFileClient("b").forceCloseAllHandles()).closedHandlesCount, 1);
      await root.getFileClient("b").getProperties();
    });

    test("a directory that holds a file to be deleted is not empty; an open one cannot be deleted", async () => {
      const share = await kit.newShare();
      const directory = share.getDirectoryClient("d");
      await directory.create();
      await directory.getFileClient("f").create(1);
      const handle = await open(kit, share, "d/f", "RD", "RWD");
      await handle.setDeletePending(true);
      await refused(directory.delete(), 409, "DirectoryNotEmpty");
      await handle.close();
      const opened = await open(kit, share, "d", "R", "RWD");
      await refused(directory.delete(), 409, "CannotDeleteFileOrDirectory");
      await opened.close();
      const going = await open(kit, share, "d", "D", "RWD");
      await going.setDeletePending(true);
      await refused(directory.getFileClient("new").create(1), 409, "SMBDeletePending");
      await going.close();
      await refused(directory.getProperties(), 404, "ResourceNotFound");
    });

    test("a rename meets handles on the source, on the target, and below a directory", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      const directory = share.getDirectoryClient("d");
      await directory.create();
      await directory.getFileClient("f").create(1);
      await root.getFileClient("t").create(1);
      const handle = await open(kit, share, "d/f", "R", "RW");
      await refused(directory.getFileClient("f").rename("g"), 409, "SharingViolation");
      await refused(directory.rename("e"), 409, "SharingViolation");
      await refused(
        root.getFileClient("t").rename("d/f", { replaceIfExists: true }),
        409,
        "SharingViolation",
      );
      await handle.close();
      await directory.rename("e");
      await root.getFileClient("t").rename("e/f", { replaceIfExists: true });
    });

    test("handles are listed with who opened what and when, page by page, and closed by force", async () => {
      const share = await kit.newShare();
      const directory = share.getDirectoryClient("d");
      await directory.create();
      const file = directory.getFileClient("f");
      await file.create(1);
      const handles = [
        await open(kit, share, "d/f", "RW", "RWD"),
        await open(kit, share, "d/f", "R", "RWD"),
        await open(kit, share, "d", "R", "RWD"),
      ];
      const [first] = await collectAll(file.listHandles());
      assert.equal(first!.handleId, String(handles[0]!.id));
      assert.equal(first!.path, "d/f");
      assert.equal(first!.fileId, String(handles[0]!.inode));
      assert.equal(first!.parentId, String(handles[2]!.inode));
      assert.equal(first!.sessionId, "7");
      assert.equal(first!.clientIp, "10.0.0.9:50000");
      assert.deepEqual(first!.accessRightList, ["Read", "Write"]);
      assert.ok(first!.openTime instanceof Date);
      assert.equal((await collectAll(directory.listHandles())).length, 1);
      assert.equal((await collectAll(directory.listHandles({ recursive: true }))).length, 3);
      const root = share.rootDirectoryClient;
      const pages: number[] = [];
      for await (const page of root.listHandles({ recursive: true }).byPage({ maxPageSize: 2 })) {
        pages.push(page.handleList?.length ?? 0);
      }
      assert.deepEqual(pages, [2, 1]);
      assert.equal((await file.forceCloseHandle("12345")).closedHandlesCount, 0);
      assert.equal((await file.forceCloseHandle(String(handles[0]!.id))).closedHandlesCount, 1);
      assert.equal(await hasHandle(kit.files, handles[0]!), false);
      const rest = await root.forceCloseAllHandles({ recursive: true });
      assert.equal(rest.closedHandlesCount, 2);
      const recursive = await kit.raw({
        method: "GET",
        path: `/${share.name}/d/f`,
        query: { comp: "listhandles" },
        headers: { "x-ms-recursive": "true" },
      });
      assert.equal(recursive.status, 400);
      await file.delete();
    });

    test("an exclusive open and REST writers never overlap", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(8);
      const write = async (value: number): Promise<void> => {
        const bytes = Buffer.alloc(8, value);
        await file.uploadRange(bytes, 0, 8).catch((error: { code?: string }) => {
          assert.equal(error.code, "SharingViolation");
        });
      };
      let exclusive = 0;
      for (let round = 0; round < 30; round++) {
        const writers = [write(round), write(round + 100)];
        const handle = await open(kit, share, "f", "R", "R").catch(() => undefined);
        if (handle !== undefined) {
          exclusive++;
          const before = await file.downloadToBuffer();
          await Promise.all([write(200), ...writers]);
          assert.deepEqual(await file.downloadToBuffer(), before, "written while it was open exclusively");
          await handle.close();
        }
        await Promise.all(writers);
      }
      assert.ok(exclusive > 0);
    });

    test("the mark of an opened share is taken away when nothing is open, and comes back with the next open", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(8);
      const handle = await open(kit, share, "f", "R", "");
      await forgetUnusedMarks(kit.files);
      await refused(file.uploadRange("a", 0, 1), 409, "SharingViolation");
      await handle.close();
      await forgetUnusedMarks(kit.files);
      await file.uploadRange("a", 0, 1);
      const again = await open(kit, share, "f", "R", "");
      await refused(file.uploadRange("a", 0, 1), 409, "SharingViolation");
      await again.close();
    });

    test("a process that dies takes its handles with it", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(8);
      const handle = await open(kit, share, "f", "R", "");
      await refused(file.uploadRange("a", 0, 1), 409, "SharingViolation");
      const { ephemeral } = kit.server.runtime.parts.store;
      await ephemeral.releaseOwner(ephemeral.owner);
      await file.uploadRange("a", 0, 1);
      assert.equal(await hasHandle(kit.files, handle), false);
    });
  });
}
