import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ShareClient } from "@azure/storage-file-share";
import { DELETE, READ, WRITE } from "../../src/concurrency/share-mode.ts";
import { type EaRecord, eaSizeOf } from "../../src/services/file/extended-attributes.ts";
import type { OpenFile } from "../../src/services/file/open-file.ts";
import { openInode } from "../../src/services/file/opens/open-inode.ts";
import type { Disposition, OpenRequest } from "../../src/services/file/opens/open-request.ts";
import { readSnapshotTimes } from "../../src/services/file/opens/share-queries.ts";
import { fileJobs } from "../../src/services/file/reclaim.ts";
import { findShare } from "../../src/services/file/shares.ts";
import { versionsOfRange } from "../../src/store/keys/file.ts";
import { packKey, prefixRange } from "../../src/store/keys/pack.ts";
import { ENGINES } from "../kit/server.ts";
import { type FileKit, refusal, useFiles } from "./file/kit.ts";

/**
 * Extended attributes through the service: what changes them, what carries them along, and what ends them.
 */
const ALL = READ | WRITE | DELETE;
const ea = (name: string, value: string, isNeeded = false): EaRecord => ({
  name,
  value: Buffer.from(value),
  isNeeded,
});
const shown = (eas: readonly EaRecord[]): string =>
  eas.map(({ name, value, isNeeded }) => `${name}${isNeeded ? "!" : ""}=${value}`).join(" ");

async function idOf(kit: FileKit, share: ShareClient): Promise<bigint> {
  return (await kit.files.parts.store.read((read) =>
    findShare(read, { account: kit.server.account, share: share.name }),
  ))!.id;
}

/** Records of a share's extended attributes, and versions of them that are kept for snapshots. */
function left(kit: FileKit, share: bigint): Promise<{ readonly live: number; readonly versions: number }> {
  return kit.files.parts.store.read(async (read) => {
    const live = prefixRange(packKey(["fx", share]));
    const [now, before] = [await read.take(live, 100), await read.take(versionsOfRange(live), 100)];
    return { live: now.length, versions: before.length };
  });
}

for (const engine of ENGINES) {
  suite(`extended attributes over ${engine}`, () => {
    const kit = useFiles(engine);

    const open = (
      share: ShareClient,
      path: string,
      disposition: Disposition,
      more: Partial<OpenRequest> = {},
    ): Promise<OpenFile> =>
      openInode(kit.files, {
        mayCommitAsync: true,
        ref: { account: kit.server.account, share: share.name, path: path === "" ? [] : path.split("/") },
        access: READ | WRITE,
        shareMode: ALL,
        disposition,
        session: 1n,
        clientAddress: "10.0.0.9:1",
        clientName: "workstation",
        ...more,
      });
    const close = (handle: OpenFile) => handle.close();
    const set = (handle: OpenFile, ...changes: readonly EaRecord[]) => handle.setExtendedAttributes(changes);
    const read = async (handle: OpenFile): Promise<string> => {
      const eas = await handle.extendedAttributes();
      const { record } = await handle.properties();
      assert.equal(record.eaSize ?? 0, eaSizeOf(eas), "the inode has the size of its attributes");
      assert.equal(
        record.needsEas === true,
        eas.some(({ isNeeded }) => isNeeded),
      );
      return shown(eas);
    };
    /** By path, whatever was opened before. */
    const at = async (share: ShareClient, path: string): Promise<string> => {
      const handle = await open(share, path, "open", { access: 0 });
      try {
        return await read(handle);
      } finally {
        await close(handle);
      }
    };
    const made = async (share: ShareClient, path: string, ...eas: readonly EaRecord[]): Promise<void> =>
      void (await close(await open(share, path, "create", { eas })));
    const usage = async (share: ShareClient): Promise<number> =>
      (await share.getStatistics()).shareUsageBytes!;

    test("they are set, replaced whatever the case of the name, and removed by an empty value", async () => {
      const share = await kit.newShare();
      const handle = await open(share, "f", "create");
      assert.equal(await read(handle), "");
      await set(handle, ea("one", "1"), ea("two", "2", true));
      assert.equal(await read(handle), "one=1 two!=2");
      await set(handle, ea("ONE", "first"), ea("three", "3"));
      assert.equal(await read(handle), "two!=2 ONE=first three=3");
      await set(handle, ea("Two", ""), ea("none", ""));
      assert.equal(await read(handle), "ONE=first three=3");
      await set(handle, ea("x", "1"), ea("X", "2"), ea("one", ""), ea("three", ""));
      assert.equal(await read(handle), "X=2");
      await set(handle, ea("x", ""));
      assert.equal(await read(handle), "");
      await close(handle);
    });

    test("directories have them too, the root among them, and listings report the size", async () => {
      const share = await kit.newShare();
      await close(await open(share, "d", "create", { kind: "directory", eas: [ea("a", "dir")] }));
      await made(share, "plain");
      await made(share, "f", ea("name", "value"));
      const root = await open(share, "", "open", { access: READ });
      await set(root, ea("root", "yes"));
      assert.equal(await read(root), "root=yes");
      assert.equal(await at(share, "d"), "a=dir");
      const listed = await root.list({ after: undefined, limit: 10 });
      assert.deepEqual(
        listed.map(({ entry, record }) => [entry.name, record.eaSize]),
        [
          ["d", 4 + 5 + 1 + 3],
          ["f", 4 + 5 + 4 + 5],
          ["plain", undefined],
        ],
      );
      await close(root);
    });

    test("what is overwritten has those it is given and no others; what is opened keeps its own", async () => {
      const share = await kit.newShare();
      for (const disposition of ["overwrite", "overwriteIf", "supersede"] as const) {
        await made(share, disposition, ea("old", "1", true), ea("both", "1"));
        const given = { eas: [ea("both", "2"), ea("new", "3"), ea("BOTH", "4"), ea("empty", "")] };
        await close(await open(share, disposition, disposition, given));
        assert.equal(await at(share, disposition), "new=3 BOTH=4", disposition);
        await close(await open(share, disposition, disposition));
        assert.equal(await at(share, disposition), "", disposition);
        await close(await open(share, disposition, disposition, { eas: [ea("again", "5")] }));
        await close(await open(share, disposition, "openIf", { eas: [ea("ignored", "6")] }));
        assert.equal(await at(share, disposition), "again=5", disposition);
      }
    });

    test("a change is whole: too much, by set or by create, leaves everything as it was", async () => {
      const share = await kit.newShare();
      const handle = await open(share, "f", "create", { eas: [ea("keep", "1")] });
      // The list, and of this element all but its value, take 4 + 5 + 1; those of "keep" 5 + 4 + 1.
      const valueBytes = 65_535 - 4 - 6 - 10;
      await set(handle, ea("x", "y".repeat(valueBytes)));
      assert.equal((await handle.properties()).record.eaSize, 65_535);
      const tooLarge = refusal("ExtendedAttributesTooLarge");
      await assert.rejects(set(handle, ea("keep", ""), ea("x", "y".repeat(valueBytes + 11))), tooLarge);
      await assert.rejects(set(handle, ea("z", "1")), tooLarge);
      assert.equal((await read(handle)).length, "keep=1 x=".length + valueBytes);
      await set(handle, ea("keep", ""), ea("x", "y".repeat(valueBytes + 10)));
      const much = [ea("a", "y".repeat(40_000)), ea("b", "y".repeat(40_000))];
      await assert.rejects(open(share, "new", "create", { eas: much }), tooLarge);
      await assert.rejects(open(share, "new", "open"), refusal("ResourceNotFound"));
      await assert.rejects(open(share, "f", "overwrite", { eas: much }), tooLarge);
      assert.equal((await read(handle)).length, 2 + valueBytes + 10);
      await close(handle);
    });

    test("who knows nothing of them opens no file that needs them", async () => {
      const share = await kit.newShare();
      await made(share, "needs", ea("a", "1"), ea("b", "2", true));
      await made(share, "free", ea("a", "1"));
      const ignoresEas = true;
      await close(await open(share, "free", "open", { ignoresEas }));
      const denied = refusal("AuthorizationPermissionMismatch");
      for (const disposition of ["open", "openIf", "overwriteIf", "supersede"] as const)
        await assert.rejects(open(share, "needs", disposition, { ignoresEas }), denied, disposition);
      assert.equal(await at(share, "needs"), "a=1 b!=2");
      const handle = await open(share, "needs", "open");
      await set(handle, ea("B", "2"));
      await close(await open(share, "needs", "open", { ignoresEas }));
      await close(handle);
    });

    test("a change moves the change time and the ETag and marks the file for archiving; a held time stays", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await made(share, "f");
      const handle = await open(share, "f", "open");
      await handle.change({ attributes: 0x80 });
      const before = await file.getProperties();
      const { record } = await handle.properties();
      kit.server.clock.advance(5_000);
      await set(handle, ea("a", "1"));
      const after = await file.getProperties();
      assert.notEqual(after.etag, before.etag);
      const changed = (await handle.properties()).record;
      assert.ok(changed.changedAt > record.changedAt);
      assert.equal(changed.writtenAt, record.writtenAt);
      assert.doesNotMatch(before.fileAttributes!, /Archive/);
      assert.match(after.fileAttributes!, /Archive/);
      await handle.change({ changedAt: "freeze" });
      await handle.setExtendedAttributes([ea("a", "2")]);
      assert.equal((await handle.properties()).record.changedAt, changed.changedAt);
      await close(handle);
    });

    test("they go along with a rename, by REST and by handle, and with a directory that moves", async () => {
      const share = await kit.newShare();
      await close(await open(share, "d", "create", { kind: "directory", eas: [ea("dir", "1")] }));
      await made(share, "d/f", ea("file", "1"));
      await share.rootDirectoryClient.getDirectoryClient("d").getFileClient("f").rename("d/g");
      await share.rootDirectoryClient.getDirectoryClient("d").rename("e");
      assert.equal(await at(share, "e/g"), "file=1");
      assert.equal(await at(share, "e"), "dir=1");
      await made(share, "h", ea("other", "1"));
      await share.getDirectoryClient("e").getFileClient("g").rename("h", { replaceIfExists: true });
      const handle = await open(share, "h", "open", { access: DELETE });
      await handle.rename({ path: ["e", "i"], isReplacing: false });
      assert.equal(await read(handle), "file=1");
      await close(handle);
      assert.equal(await at(share, "e/i"), "file=1");
    });

    test("REST keeps them with every change, and a file made anew has none", async () => {
      const share = await kit.newShare();
      await made(share, "f", ea("a", "1"));
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.setMetadata({ a: "rest" });
      await file.setHttpHeaders({ fileContentType: "text/a" });
      await file.resize(10);
      await file.uploadRange("abc", 0, 3);
      await file.setProperties({});
      assert.equal(await at(share, "f"), "a=1");
      assert.deepEqual((await file.getProperties()).metadata, { a: "rest" });
      await file.create(3);
      assert.equal(await at(share, "f"), "");
      assert.equal(await usage(share), 3);
    });

    test("Copy File takes them along, also onto itself and out of a snapshot; over a file it replaces them", async () => {
      const share = await kit.newShare();
      await made(share, "from", ea("a", "1", true));
      const root = share.rootDirectoryClient;
      const from = root.getFileClient("from");
      await from.resize(10);
      const { snapshot } = await share.createSnapshot();
      const handle = await open(share, "from", "open");
      await set(handle, ea("a", "2"), ea("b", "later"));
      await close(handle);
      await made(share, "to", ea("gone", "1"));
      await root.getFileClient("to").startCopyFromURL(from.url);
      assert.equal(await at(share, "to"), "a=2 b=later");
      await root.getFileClient("earlier").startCopyFromURL(from.withShareSnapshot(snapshot!).url);
      assert.equal(await at(share, "earlier"), "a!=1");
      await from.startCopyFromURL(from.url);
      assert.equal(await at(share, "from"), "a=2 b=later");
      await root
        .getFileClient("to")
        .startCopyFromURL(root.getFileClient("earlier").url, { metadata: { m: "1" } });
      assert.equal(await at(share, "to"), "a!=1");
    });

    test("a snapshot shows those of then, whatever becomes of the file", async () => {
      const share = await kit.newShare();
      const account = kit.server.account;
      const earlier = async (time: bigint, path: string): Promise<string> => {
        const ref = { account, share: share.name, snapshot: time, path: [path] };
        const file = await open(share, path, "open", { ref, access: READ });
        const eas = await file.extendedAttributes();
        assert.equal(file.opened.record.eaSize ?? 0, eaSizeOf(eas));
        return shown(eas);
      };
      for (const name of ["changed", "removed", "deleted", "anew", "overwritten"])
        await made(share, name, ea("a", name));
      await made(share, "added");
      await share.createSnapshot();
      const changed = await open(share, "changed", "open");
      await set(changed, ea("a", "between"), ea("b", "1"));
      await share.createSnapshot();
      await set(changed, ea("a", "now"));
      await close(changed);
      const removed = await open(share, "removed", "open");
      await set(removed, ea("a", ""));
      await close(removed);
      const added = await open(share, "added", "open");
      await set(added, ea("a", "new"));
      await close(added);
      await share.rootDirectoryClient.getFileClient("deleted").delete();
      await share.rootDirectoryClient.getFileClient("anew").create(1);
      await close(await open(share, "overwritten", "supersede", { eas: [ea("b", "2")] }));
      const times = await readSnapshotTimes(kit.files, { account, share: share.name });
      assert.equal(times.length, 2);
      for (const [index, time] of times.entries()) {
        assert.equal(await earlier(time, "changed"), index === 0 ? "a=changed" : "a=between b=1");
        for (const name of ["removed", "deleted", "anew", "overwritten"])
          assert.equal(await earlier(time, name), `a=${name}`);
        assert.equal(await earlier(time, "added"), "");
      }
      assert.equal(await at(share, "changed"), "b=1 a=now");
      assert.equal(await at(share, "overwritten"), "b=2");
      assert.equal(await at(share, "added"), "a=new");
    });

    test("they count towards the quota, and go with what they belong to", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      const value = "v".repeat(1_000);
      await made(share, "smb", ea("a", value));
      await made(share, "rest", ea("a", value));
      await made(share, "replaced", ea("a", value));
      await close(await open(share, "d", "create", { kind: "directory", eas: [ea("a", value)] }));
      await close(await open(share, "e", "create", { kind: "directory", eas: [ea("a", value)] }));
      const size = 4 + 5 + 1 + 1_000;
      assert.equal(await usage(share), 5 * size);
      await share.createSnapshot();
      const handle = await open(share, "smb", "open");
      await set(handle, ea("a", "short"));
      assert.equal(await usage(share), 4 * size + 15);
      await close(handle);
      await close(await open(share, "smb", "open", { access: DELETE, isDeleteOnClose: true }));
      await root.getFileClient("rest").rename("replaced", { replaceIfExists: true });
      await root.getFileClient("replaced").delete();
      await root.getDirectoryClient("d").delete();
      await close(await open(share, "e", "open", { access: DELETE, isDeleteOnClose: true }));
      assert.equal(await usage(share), 0);
      assert.deepEqual(await left(kit, await idOf(kit, share)), { live: 0, versions: 5 });
    });

    test("beyond the quota they are refused, and nothing has changed", async () => {
      const share = await kit.newShare();
      await share.setQuota(1);
      await share.rootDirectoryClient.getFileClient("filler").create(2 ** 30 - 500);
      await made(share, "f", ea("a", "1"));
      const handle = await open(share, "f", "open");
      const full = refusal("ShareSizeLimitReached");
      await assert.rejects(set(handle, ea("b", "v".repeat(1_000))), full);
      await assert.rejects(open(share, "g", "create", { eas: [ea("b", "v".repeat(1_000))] }), full);
      assert.equal(await read(handle), "a=1");
      await set(handle, ea("b", "v".repeat(400)), ea("a", ""));
      await close(handle);
      await assert.rejects(open(share, "g", "open"), refusal("ResourceNotFound"));
    });

    test("nothing of them is left of a share that is gone", async () => {
      const share = await kit.newShare();
      await made(share, "f", ea("a", "1"));
      const id = await idOf(kit, share);
      await share.createSnapshot();
      const handle = await open(share, "f", "open");
      await set(handle, ea("a", "2"));
      await close(handle);
      assert.deepEqual(await left(kit, id), { live: 1, versions: 1 });
      await share.delete({ deleteSnapshots: "include" });
      kit.server.clock.advance(31 * 86_400_000);
      for (const job of fileJobs(kit.files)) while ((await job.run()) === "more");
      assert.deepEqual(await left(kit, id), { live: 0, versions: 0 });
    });
  });
}
