import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ShareClient, ShareFileClient } from "@azure/storage-file-share";
import { monotonic, pause } from "../../src/base/clock.ts";
import { ATTRIBUTE, DISPOSITION } from "../../src/smb/wire/create.ts";
import { OPLOCK } from "../../src/smb/wire/oplock-break.ts";
import { STATUS } from "../../src/smb/wire/status.ts";
import { collectAll, type FileKit, refused, useFiles } from "../contract/file/kit.ts";
import { ENGINES } from "../kit/server.ts";
import { SmbStatus, SmbTestClient } from "../kit/smb-test-client.ts";

/**
 * One file, two protocols: an SMB client with handles, locks and caches, and the Azure SDK over REST. The
 * matrices and scenarios are those of the published rules for file locks.
 */
const connect = (kit: FileKit, share: ShareClient): Promise<SmbTestClient> =>
  SmbTestClient.connect({
    port: kit.server.server.ports.smb,
    user: kit.server.account,
    password: kit.server.key,
    share: share.name,
  });

const smbRefused = (status: number) => (error: unknown) => {
  assert.ok(error instanceof SmbStatus, String(error));
  assert.equal(error.message, new SmbStatus(status).message);
  return true;
};

const GUID = "11111111-2222-3333-4444-555555555555";
const KEY = Buffer.from("0123456789abcdef");
const LETTERS = ["", "R", "W", "D", "RW", "RD", "WD", "RWD"];

type Call = (file: ShareFileClient) => Promise<unknown>;
const CALLS = {
  create: (file) => file.create(5),
  get: (file) => file.downloadToBuffer(),
  properties: (file) => file.setHttpHeaders({ fileContentType: "a/b" }),
  metadata: (file) => file.setMetadata({ a: "1" }),
  put: (file) => file.uploadRange("abc", 0, 3),
  ranges: (file) => file.getRangeList(),
  look: (file) => file.getProperties(),
} as const satisfies Record<string, Call>;

/**
 * What an SMB handle of this share mode refuses to REST with SharingViolation. Delete and lease: always, and
 * apart.
 */
const REFUSED: Readonly<Record<string, readonly (keyof typeof CALLS)[]>> = {
  "": ["create", "get", "properties", "metadata", "put", "ranges"],
  R: ["create", "properties", "metadata", "put"],
  W: ["create", "get", "ranges"],
  D: ["create", "get", "properties", "metadata", "put", "ranges"],
  RW: ["create"],
  RD: ["create", "properties", "metadata", "put"],
  WD: ["get", "ranges"],
  RWD: [],
};

for (const engine of ENGINES) {
  suite(`SMB and REST on one file over ${engine}`, () => {
    const kit = useFiles(engine);

    async function made(content = "hello"): Promise<{ share: ShareClient; file: ShareFileClient }> {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(content.length);
      await file.uploadRange(content, 0, content.length);
      return { share, file };
    }

    test("a CLOSE that is sent behind other requests lets them finish", async () => {
      const { share, file } = await made();
      const smb = await connect(kit, share);
      for (let round = 0; round < 5; round++) {
        const handle = await smb.open("f", { access: "RW", share: "RWD" });
        const text = `text ${round}`.repeat(round * 2_000 + 1);
        const [read] = await Promise.all([
          smb.read(handle, 0, 1),
          smb.write(handle, 0, text),
          smb.close(handle),
        ]);
        assert.equal(read.length, 1);
        assert.equal((await file.downloadToBuffer()).toString("utf8", 0, text.length), text);
      }
      smb.vanish();
    });

    test("every share mode of an SMB handle meets every REST call as the matrix says", async () => {
      const { share, file } = await made();
      const smb = await connect(kit, share);
      for (const mode of LETTERS) {
        for (const access of ["R", "W", "RW", "D"]) {
          const handle = await smb.open("f", { access, share: mode });
          for (const [name, call] of Object.entries(CALLS) as [keyof typeof CALLS, Call][]) {
            if (REFUSED[mode]!.includes(name)) await refused(call(file), 409, "SharingViolation");
            else await call(file);
          }
          await refused(file.delete(), 409, "SharingViolation");
          const listed = await collectAll(share.rootDirectoryClient.listFilesAndDirectories());
          assert.equal(listed.length, 1);
          await smb.close(handle);
        }
      }
      await file.delete();
      smb.vanish();
    });

    test("a lease is given by the access of SMB handles, and holds off their opens by theirs", async () => {
      const { share, file } = await made();
      const smb = await connect(kit, share);
      const lease = file.getShareLeaseClient(GUID);
      const isReading = (access: string): boolean => access === "" || access === "R";
      for (const access of LETTERS) {
        const handle = await smb.open("f", { access, share: "RWD" });
        if (isReading(access)) {
          await lease.acquireLease();
          await lease.releaseLease();
        } else await refused(lease.acquireLease(), 409, "SharingViolation");
        await smb.close(handle);
      }
      await lease.acquireLease();
      for (const access of LETTERS) {
        if (isReading(access)) await smb.close(await smb.open("f", { access }));
        else await assert.rejects(smb.open("f", { access }), smbRefused(STATUS.SHARING_VIOLATION));
      }
      await lease.releaseLease();
      for (const access of LETTERS) await smb.close(await smb.open("f", { access }));
      smb.vanish();
    });

    test("any lock stops a REST write of any range; an exclusive one stops reading its range", async () => {
      const { share, file } = await made("0123456789");
      const smb = await connect(kit, share);
      const handle = await smb.open("f", { access: "RW" });
      await smb.lock(handle, 0, 4);
      await refused(file.uploadRange("x", 9, 1), 409, "FileLockConflict");
      await refused(file.downloadToBuffer(), 409, "FileLockConflict");
      assert.equal((await file.downloadToBuffer(4, 6)).toString(), "456789");
      await smb.unlock(handle, 0, 4);
      await smb.lock(handle, 0, 4, false);
      await refused(file.uploadRange("x", 9, 1), 409, "FileLockConflict");
      assert.equal((await file.downloadToBuffer()).toString(), "0123456789");
      const other = await smb.open("f", { access: "RW" });
      await assert.rejects(smb.write(other, 0, "zz"), smbRefused(STATUS.FILE_LOCK_CONFLICT));
      await assert.rejects(smb.lock(other, 2, 4), smbRefused(STATUS.LOCK_NOT_GRANTED));
      await assert.rejects(smb.unlock(other, 0, 4), smbRefused(STATUS.RANGE_NOT_LOCKED));
      await smb.close(handle);
      await file.uploadRange("x", 9, 1);
      assert.equal((await smb.read(other, 0, 20)).toString(), "012345678x");
      smb.vanish();
    });

    test("a file that waits for its last handle answers nothing else, is not listed, and comes back or goes", async () => {
      const { share, file } = await made();
      const smb = await connect(kit, share);
      const keeper = await smb.open("f", { access: "RD" });
      const deleter = await smb.open("f", { access: "D" });
      await smb.setDeletePending(deleter, true);
      await smb.close(deleter);
      const all: Call[] = [
        ...Object.values(CALLS),
        (one) => one.delete(),
        (one) => one.getShareLeaseClient(GUID).acquireLease(),
        (one) => one.rename("g"),
        (one) => one.startCopyFromURL(one.url),
      ];
      for (const call of all) await refused(call(file), 409, "SMBDeletePending");
      assert.deepEqual(await collectAll(share.rootDirectoryClient.listFilesAndDirectories()), []);
      await assert.rejects(smb.open("f"), smbRefused(STATUS.DELETE_PENDING));
      await smb.setDeletePending(keeper, false);
      await file.getProperties();
      await smb.setDeletePending(keeper, true);
      await smb.close(keeper);
      await refused(file.downloadToBuffer(), 404, "ResourceNotFound");
      const fleeting = await smb.open("g", {
        access: "D",
        disposition: DISPOSITION.CREATE,
        isDeleteOnClose: true,
      });
      const other = share.rootDirectoryClient.getFileClient("g");
      await other.getProperties();
      await smb.close(fleeting);
      assert.equal(await other.exists(), false);
      smb.vanish();
    });

    test("12.7: cached writes are flushed before Get File answers, and the cache falls to RH", async () => {
      const { share, file } = await made("before");
      const smb = await connect(kit, share);
      const handle = await smb.open("f", { access: "RW", lease: { key: KEY, state: "RWH" } });
      assert.equal(handle.leaseState, "RWH");
      const got = file.downloadToBuffer();
      const broken = await smb.nextBreak();
      assert.ok(broken.kind === "lease" && broken.to === "RH" && broken.isAnswerNeeded);
      await smb.write(handle, 0, "after!");
      await smb.acknowledgeLease(KEY, "RH");
      assert.equal((await got).toString(), "after!");
      await file.downloadToBuffer();
      await file.getProperties();
      assert.equal(smb.breaksHeard, 0);
      smb.vanish();
    });

    test("looking and listing ranges break cached writes too; listing the directory breaks nothing", async () => {
      for (const call of [CALLS.look, CALLS.ranges]) {
        const { share, file } = await made();
        const smb = await connect(kit, share);
        await smb.open("f", { access: "RW", lease: { key: KEY, state: "RWH" } });
        assert.equal((await collectAll(share.rootDirectoryClient.listFilesAndDirectories())).length, 1);
        assert.equal(smb.breaksHeard, 0);
        const answered = call(file);
        const broken = await smb.nextBreak();
        assert.ok(broken.kind === "lease" && broken.to === "RH");
        await smb.acknowledgeLease(KEY, "RH");
        await answered;
        smb.vanish();
      }
    });

    test("an exclusive oplock falls to level II for a reader and to nothing for a writer", async () => {
      const { share, file } = await made();
      const smb = await connect(kit, share);
      const handle = await smb.open("f", { access: "RW", oplock: OPLOCK.EXCLUSIVE });
      assert.equal(handle.oplock, OPLOCK.EXCLUSIVE);
      const got = file.downloadToBuffer();
      const first = await smb.nextBreak();
      assert.ok(first.kind === "oplock" && first.level === OPLOCK.LEVEL_II);
      await smb.acknowledgeOplock(handle.id, OPLOCK.LEVEL_II);
      await got;
      await file.uploadRange("abc", 0, 3);
      const second = await smb.nextBreak();
      assert.ok(second.kind === "oplock" && second.level === OPLOCK.NONE);
      smb.vanish();
    });

    test("12.8: a write does not wait for cached reads, and they are gone", async () => {
      const { share, file } = await made();
      const smb = await connect(kit, share);
      const handle = await smb.open("f", { access: "R", lease: { key: KEY, state: "RH" } });
      assert.equal(handle.leaseState, "RH");
      for (const call of [CALLS.get, CALLS.look]) await call(file);
      assert.equal(smb.breaksHeard, 0);
      await file.uploadRange("abc", 0, 3);
      const broken = await smb.nextBreak();
      assert.ok(broken.kind === "lease" && broken.to === "");
      assert.equal((await smb.read(handle, 0, 5)).toString(), "abclo");
      smb.vanish();
    });

    test("writes of REST wait for cached writes of an SMB client, which end before them", async () => {
      for (const call of [CALLS.put, CALLS.metadata, CALLS.properties]) {
        const { share, file } = await made();
        const smb = await connect(kit, share);
        const handle = await smb.open("f", { access: "RW", lease: { key: KEY, state: "RWH" } });
        const answered = call(file);
        const broken = await smb.nextBreak();
        assert.ok(broken.kind === "lease" && broken.to === "");
        await smb.write(handle, 0, "HELLO");
        await smb.acknowledgeLease(KEY, "");
        await answered;
        const expected = call === CALLS.put ? "abcLO" : "HELLO";
        assert.equal((await file.downloadToBuffer()).toString(), expected);
        smb.vanish();
      }
    });

    test("12.9: a client that does not answer keeps Get File waiting for its timeout, then 408", async () => {
      const { share } = await made();
      const smb = await connect(kit, share);
      await smb.open("f", { access: "RW", lease: { key: KEY, state: "RWH" } });
      const startedAt = monotonic();
      const path = `/${share.name}/f`;
      const reply = await kit.raw({ method: "GET", path, query: { timeout: "1" } });
      assert.equal(reply.status, 408);
      assert.equal(reply.headers["x-ms-error-code"], "ClientCacheFlushDelay");
      assert.ok(monotonic() - startedAt >= 1_000, "it gave up before its time");
      smb.vanish();
    });

    test("12.12: a handle that is only kept is closed for Delete File; one in use is not", async () => {
      const { share, file } = await made();
      const smb = await connect(kit, share);
      const kept = await smb.open("f", { access: "R", lease: { key: KEY, state: "RH" } });
      const gone = file.delete();
      const broken = await smb.nextBreak();
      assert.ok(broken.kind === "lease" && broken.to === "R" && broken.isAnswerNeeded);
      await smb.close(kept);
      await gone;
      assert.equal(await file.exists(), false);
      await file.create(5);
      await smb.open("f", { access: "R", lease: { key: KEY, state: "RH" } });
      const stays = refused(file.delete(), 409, "SharingViolation");
      await smb.nextBreak();
      await smb.acknowledgeLease(KEY, "R");
      await stays;
      smb.vanish();
    });

    test("12.13, 12.14: a read-only file is not written; a file is deleted once", async () => {
      const { share, file } = await made();
      const smb = await connect(kit, share);
      const attributes = ATTRIBUTE.READONLY;
      await smb.close(await smb.open("locked", { access: "W", disposition: DISPOSITION.CREATE, attributes }));
      const locked = share.rootDirectoryClient.getFileClient("locked");
      await refused(locked.uploadRange("x", 0, 1), 409, "ReadOnlyAttribute");
      await assert.rejects(smb.open("locked", { access: "W" }), smbRefused(STATUS.ACCESS_DENIED));
      await file.delete();
      await refused(file.delete(), 404, "ResourceNotFound");
      smb.vanish();
    });

    test("List Handles shows who has what open; Force Close ends it, and the client learns", async () => {
      const { share, file } = await made();
      const smb = await connect(kit, share);
      const handle = await smb.open("f", { access: "RW", share: "" });
      const [listed] = await collectAll(file.listHandles());
      assert.equal(listed?.path, "f");
      assert.equal(listed?.clientIp, smb.address);
      assert.ok(listed?.openTime !== undefined);
      assert.equal(BigInt(listed!.sessionId), smb.sessionId);
      await smb.lock(handle, 0, 1);
      const { closedHandlesCount } = await file.forceCloseAllHandles();
      assert.equal(closedHandlesCount, 1);
      await file.uploadRange("abc", 0, 3);
      await pause(20);
      await assert.rejects(smb.read(handle, 0, 5), smbRefused(STATUS.FILE_CLOSED));
      const again = await smb.open("f", { access: "R" });
      assert.equal((await smb.read(again, 0, 5)).toString(), "abclo");
      smb.vanish();
    });

    test("a client that vanishes loses its handles, share modes and locks", async () => {
      const { share, file } = await made();
      const smb = await connect(kit, share);
      const handle = await smb.open("f", { access: "RW", share: "" });
      await smb.lock(handle, 0, 1);
      await refused(file.downloadToBuffer(), 409, "SharingViolation");
      smb.vanish();
      for (let tries = 0; (await collectAll(file.listHandles())).length > 0; tries++) {
        assert.ok(tries < 200, "the handle is still there");
        await pause(10);
      }
      await file.uploadRange("abc", 0, 3);
      await file.delete();
    });

    test("one protocol reads what the other wrote: sizes, ETags, names in any case, growth and truncation", async () => {
      const { share, file } = await made();
      const smb = await connect(kit, share);
      const before = await file.getProperties();
      const handle = await smb.open("F", { access: "RW" });
      await smb.write(handle, 3, "123456");
      const after = await file.getProperties();
      assert.notEqual(after.etag, before.etag);
      assert.equal(after.contentLength, 9);
      assert.equal((await file.downloadToBuffer()).toString(), "hel123456");
      await file.resize(4);
      assert.equal((await smb.read(handle, 0, 100)).toString(), "hel1");
      await smb.close(handle);
      const again = await smb.open("f", { access: "W", disposition: DISPOSITION.OVERWRITE });
      assert.equal(again.size, 0n);
      assert.equal((await file.getProperties()).contentLength, 0);
      await smb.close(again);
      assert.equal((await file.getProperties()).fileId, before.fileId);
      smb.vanish();
    });
  });
}
