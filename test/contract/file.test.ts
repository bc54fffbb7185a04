import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { MIB } from "../../src/base/limits.ts";
import { ENGINES } from "../kit/server.ts";
import { collectAll, refused, sample, useFiles } from "./file/kit.ts";

/**
 * Files and directories through the SDK: what goes in comes out, and every way to be wrong has its answer.
 */
for (const engine of ENGINES) {
  suite(`files over ${engine}`, () => {
    const kit = useFiles(engine);

    test("a file is made of zeros, written in ranges, and read back whole and in part", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("Report.txt");
      await file.create(10_000_000);
      const bytes = sample(3 * MIB);
      await file.uploadRange(bytes, 1_000_000, bytes.length);
      await file.uploadRange(Buffer.from("hello"), 10, 5);
      const expected = Buffer.alloc(10_000_000);
      expected.set(bytes, 1_000_000);
      expected.write("hello", 10);
      assert.deepEqual(await file.downloadToBuffer(), expected);
      assert.deepEqual(await file.downloadToBuffer(999_998, 100), expected.subarray(999_998, 1_000_098));
      const { rangeList } = await file.getRangeList();
      assert.deepEqual(rangeList, [
        { start: 10, end: 14 },
        { start: 1_000_000, end: 1_000_000 + bytes.length - 1 },
      ]);
    });

    test("names keep their case and are found without regard to it", async () => {
      const share = await kit.newShare();
      const directory = share.getDirectoryClient("Données");
      await directory.create();
      await directory.getFileClient("ÉTÉ.txt").create(3);
      const properties = await share.getDirectoryClient("DONNÉES").getFileClient("été.TXT").getProperties();
      assert.equal(properties.contentLength, 3);
      const listed = await collectAll(share.getDirectoryClient("données").listFilesAndDirectories());
      assert.deepEqual(
        listed.map(({ name }) => name),
        ["ÉTÉ.txt"],
      );
      await refused(share.getDirectoryClient("DONNéES").create(), 409, "ResourceAlreadyExists");
    });

    test("a missing share, parent and file are three different answers", async () => {
      const share = await kit.newShare();
      const nowhere = kit.client.getShareClient("nowhere");
      await refused(nowhere.rootDirectoryClient.getFileClient("a").create(1), 404, "ShareNotFound");
      await refused(share.getDirectoryClient("no").getFileClient("a").create(1), 404, "ParentNotFound");
      await refused(share.rootDirectoryClient.getFileClient("a").getProperties(), 404, "ResourceNotFound");
      await refused(share.rootDirectoryClient.getFileClient("a").delete(), 404, "ResourceNotFound");
    });

    test("a directory goes when it is empty, and not before", async () => {
      const share = await kit.newShare();
      const directory = share.getDirectoryClient("d");
      await directory.create({ metadata: { a: "1" } });
      await directory.getFileClient("f").create(1);
      await refused(directory.delete(), 409, "DirectoryNotEmpty");
      await refused(share.rootDirectoryClient.getFileClient("d").create(1), 409, "ResourceTypeMismatch");
      await refused(directory.getDirectoryClient("f").delete(), 409, "ResourceTypeMismatch");
      // Who only looks learns that there is no such directory, and no such file.
      await refused(directory.getDirectoryClient("f").getProperties(), 404, "ResourceNotFound");
      await refused(share.rootDirectoryClient.getFileClient("d").getProperties(), 404, "ResourceNotFound");
      await directory.getFileClient("f").delete();
      await directory.delete();
      await refused(directory.getProperties(), 404, "ResourceNotFound");
    });

    test("a listing pages through many entries in one order, by prefix, with what was asked for", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      for (let i = 0; i < 25; i++) {
        if (i % 5 === 0) await root.getDirectoryClient(`Item${i}`).create();
        else await root.getFileClient(`item${i}`).create(i);
      }
      const pages: number[] = [];
      const names: string[] = [];
      for await (const page of root.listFilesAndDirectories().byPage({ maxPageSize: 7 })) {
        const all = [...page.segment.directoryItems, ...page.segment.fileItems];
        pages.push(all.length);
        names.push(...all.map(({ name }) => name));
      }
      assert.deepEqual(pages, [7, 7, 7, 4]);
      assert.equal(new Set(names).size, 25);
      const some = await collectAll(
        root.listFilesAndDirectories({
          prefix: "ITEM1",
          includeTimestamps: true,
          includeEtag: true,
          includeAttributes: true,
          includePermissionKey: true,
          includeExtendedInfo: true,
        }),
      );
      assert.equal(some.length, 11);
      const file = some.find(({ name }) => name === "item11")!;
      assert.equal(file.kind, "file");
      assert.match(file.properties!.etag!, /^"?0x/);
      assert.equal(file.attributes, "Archive");
      assert.match(file.permissionKey!, /^\d+\*\d+$/);
      assert.match(file.fileId!, /^\d+$/);
    });

    test("properties, metadata and HTTP headers are set and read back; resizing cuts and fills", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(100, { metadata: { One: "1" }, fileHttpHeaders: { fileContentType: "text/plain" } });
      await file.uploadRange(sample(100), 0, 100);
      const first = await file.getProperties();
      assert.equal(first.contentType, "text/plain");
      assert.deepEqual(first.metadata, { one: "1" });
      await file.setMetadata({ Two: "2" });
      await file.setHttpHeaders({ fileCacheControl: "no-store" });
      await file.resize(50);
      await file.resize(80);
      const second = await file.getProperties();
      assert.notEqual(second.etag, first.etag);
      assert.deepEqual(second.metadata, { two: "2" });
      assert.equal(second.cacheControl, "no-store");
      assert.equal(second.contentType, undefined);
      assert.equal(second.contentLength, 80);
      const expected = Buffer.alloc(80);
      expected.set(sample(100).subarray(0, 50));
      assert.deepEqual(await file.downloadToBuffer(), expected);
    });

    test("a file that is made again is empty and keeps its id", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      const first = await file.create(5);
      await file.uploadRange(Buffer.from("hello"), 0, 5);
      const second = await file.create(5);
      assert.equal(second.fileId, first.fileId);
      assert.deepEqual(await file.downloadToBuffer(), Buffer.alloc(5));
    });
  });
}
