import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ShareClient } from "@azure/storage-file-share";
import { pause } from "../../src/base/clock.ts";
import { Refusal } from "../../src/base/refusals.ts";
import { DELETE, READ, WRITE } from "../../src/concurrency/share-mode.ts";
import type { OpenFile } from "../../src/services/file/open-file.ts";
import { openInode } from "../../src/services/file/opens/open-inode.ts";
import type { Disposition, OpenRequest } from "../../src/services/file/opens/open-request.ts";
import { movingTreeKey } from "../../src/store/keys/file.ts";
import { ENGINES } from "../kit/server.ts";
import { type FileKit, refusal, refused, sample, useFiles } from "./file/kit.ts";

/** Opens and what is done by handle, through the service: dispositions, races, content. */
const ALL = READ | WRITE | DELETE;

function open(
  kit: FileKit,
  share: ShareClient,
  path: string,
  disposition: Disposition,
  more: Partial<OpenRequest> = {},
): Promise<OpenFile> {
  return openInode(kit.files, {
    mayCommitAsync: true,
    ref: { account: kit.server.account, share: share.name, path: path.split("/") },
    access: READ | WRITE,
    shareMode: ALL,
    disposition,
    session: 1n,
    clientAddress: "10.0.0.9:1",
    clientName: "workstation",
    ...more,
  });
}

/** Answered ahead of the disk where that may be: whatever comes next has to see it all the same. */
const put = async (handle: OpenFile, offset: number, data: Buffer | string) => {
  await handle.write({
    offset,
    data: Buffer.from(data),
    mayCommitAsync: true,
  });
};

const read = async (handle: OpenFile, offset = 0, length = 1 << 23): Promise<Buffer> =>
  Buffer.concat(await handle.read({ from: offset, to: offset + length }));

for (const engine of ENGINES) {
  suite(`opens over ${engine}`, () => {
    const kit = useFiles(engine);

    test("each disposition does what it says, with and without a file", async () => {
      const share = await kit.newShare();
      const rows: readonly (readonly [Disposition, string, string])[] = [
        ["open", "ResourceNotFound", "opened"],
        ["overwrite", "ResourceNotFound", "overwritten"],
        ["create", "created", "ResourceAlreadyExists"],
        ["openIf", "created", "opened"],
        ["overwriteIf", "created", "overwritten"],
        ["supersede", "created", "superseded"],
      ];
      const tried = async (path: string, disposition: Disposition): Promise<string> => {
        try {
          const handle = await open(kit, share, path, disposition);
          const { size } = (await handle.properties()).record;
          await handle.close();
          assert.equal(size, handle.action === "opened" ? 3 : 0);
          return handle.action;
        } catch (error) {
          assert.ok(error instanceof Refusal, String(error));
          return error.code;
        }
      };
      for (const [index, [disposition, missing, present]] of rows.entries()) {
        assert.equal(await tried(`missing-${index}`, disposition), missing, disposition);
        const made = await open(kit, share, `present-${index}`, "create");
        await put(made, 0, "abc");
        await made.close();
        assert.equal(await tried(`Present-${index}`, disposition), present, disposition);
      }
    });

    test("of many who create one name at once, one has it, and it is its creator", async () => {
      const share = await kit.newShare();
      for (let round = 0; round < 5; round++) {
        const tries = Array.from({ length: 8 }, (_, index) =>
          open(kit, share, `lock-${round}`, index % 2 === 0 ? "create" : "openIf", { shareMode: 0 }),
        );
        const quarantineEnded = await Promise.allSettled(tries);
        const won = quarantineEnded.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
        assert.equal(won.length, 1);
        assert.equal(won[0]!.action, "created");
        for (const one of quarantineEnded) {
          if (one.status === "fulfilled") continue;
          const code = (one.reason as Refusal).code;
          assert.ok(code === "SharingViolation" || code === "ResourceAlreadyExists", String(one.reason));
        }
        await won[0]!.close();
      }
    });

    test("nothing below a directory is opened while it moves; what lies elsewhere is", async () => {
      const share = await kit.newShare();
      await share.createDirectory("a");
      await share.getDirectoryClient("a").createFile("f", 1);
      const directory = await open(kit, share, "a", "open", { access: READ });
      const { ephemeral } = kit.server.runtime.parts.store;
      const moving = movingTreeKey(directory.share, directory.inode, 1n);
      await ephemeral.write(async (write) => write.put(moving, Buffer.alloc(1)));
      let isOpened = false;
      const inside = open(kit, share, "a/f", "open").then((handle) => {
        isOpened = true;
        return handle;
      });
      const created = open(kit, share, "a/new", "create");
      await (await open(kit, share, "outside", "create")).close();
      await pause(50);
      assert.equal(isOpened, false);
      await ephemeral.write(async (write) => write.delete(moving));
      for (const handle of [await inside, await created, directory]) await handle.close();
    });

    test("while something below a directory is open REST does not rename it, nor SMB by another handle", async () => {
      const share = await kit.newShare();
      await share.createDirectory("a");
      const inner = await open(kit, share, "a/f", "create");
      await refused(share.getDirectoryClient("a").rename("b"), 409, "SharingViolation");
      const own = await open(kit, share, "a", "open", { access: READ | DELETE });
      const request = { path: ["c"], isReplacing: false };
      await assert.rejects(own.rename(request), refusal("AuthorizationPermissionMismatch"));
      await inner.close();
      await own.rename(request);
      const listed = await own.list({ after: undefined, limit: 10 });
      assert.deepEqual(
        listed.map(({ entry }) => entry.name),
        ["f"],
      );
      await own.close();
      assert.equal(await share.getDirectoryClient("c").getFileClient("f").exists(), true);
    });

    test("a lock is given when the writes let through before it have ended", async () => {
      const share = await kit.newShare();
      const writer = await open(kit, share, "f", "create");
      const locker = await open(kit, share, "f", "open");
      for (let round = 0; round < 20; round++) {
        const text = `round ${String(round).padStart(3, "0")}`;
        const written = put(writer, 0, text).then(
          () => true,
          (error: unknown) => {
            assert.equal((error as Refusal).code, "FileLockConflict");
            return false;
          },
        );
        await locker.lock([{ offset: 0n, length: 100n, isExclusive: true }]);
        const seen = (await read(locker)).toString();
        const isWritten = await written;
        assert.equal((await read(locker)).toString(), seen, "a write arrived under the lock");
        if (isWritten) assert.equal(seen, text);
        await locker.close();
        Object.assign(locker, await open(kit, share, "f", "open"));
      }
      await writer.close();
      await locker.close();
    });

    test("writes of every size and place read back, longer than a range record too", async () => {
      const share = await kit.newShare();
      const handle = await open(kit, share, "f", "create");
      const model = Buffer.alloc(9_000_000);
      const places = [
        [0, 10],
        [4_096, 70_000],
        [100_000, 8 * 1_024 * 1_024],
        [50_000, 5_000_000],
        [8_999_990, 10],
      ] as const;
      for (const [index, [offset, length]] of places.entries()) {
        const data = sample(length, index);
        data.copy(model, offset);
        await put(handle, offset, data);
      }
      assert.ok((await read(handle, 0, 9_000_000)).equals(model));
      assert.ok((await read(handle, 4_000_000, 123_456)).equals(model.subarray(4_000_000, 4_123_456)));
      const rest = await share.rootDirectoryClient.getFileClient("f").downloadToBuffer();
      assert.ok(rest.equals(model));
      await handle.resize(5);
      assert.ok((await read(handle)).equals(model.subarray(0, 5)));
      await handle.resize(0);
      await handle.resize(8);
      assert.deepEqual(await read(handle), Buffer.alloc(8));
      await handle.close();
      await assert.rejects(read(handle), refusal("ResourceNotFound"));
    });
  });
}
