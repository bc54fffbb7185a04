import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ENGINES } from "../kit/server.ts";
import { sample, useFiles } from "./file/kit.ts";

/** What replies have at each version of the protocol. */
for (const engine of ENGINES) {
  suite(`file replies of each version over ${engine}`, () => {
    const kit = useFiles(engine);
    const at = async (version: string, request: Parameters<typeof kit.raw>[0]) => {
      const reply = await kit.raw({ ...request, headers: { "x-ms-version": version, ...request.headers } });
      assert.ok(reply.status < 300, reply.body);
      return reply;
    };
    const ofShare = { restype: "share" };

    test("writes of a share report its quota, and its deletion the usage, since 2025-01-05", async () => {
      for (const [version, quota, usage] of [
        ["2024-11-04", undefined, undefined],
        ["2025-01-05", "7", "0"],
      ] as const) {
        const path = `/versioned-${version}`;
        const headers = { "x-ms-share-quota": "7" };
        const created = await at(version, { method: "PUT", path, query: ofShare, headers });
        assert.equal(created.headers["x-ms-share-quota"], quota);
        const read = await at(version, { method: "GET", path, query: ofShare });
        assert.equal(read.headers["x-ms-share-quota"], "7");
        const deleted = await at(version, { method: "DELETE", path, query: ofShare });
        assert.equal(deleted.headers["x-ms-file-share-usage-bytes"], usage);
      }
    });

    test("statistics of a share are in bytes since 2018-11-09, without an ETag", async () => {
      const share = await kit.newShare();
      await share.rootDirectoryClient.createFile("f", 3);
      const request = { method: "GET", path: `/${share.name}`, query: { ...ofShare, comp: "stats" } };
      const now = await at("2018-11-09", request);
      assert.match(now.body, /<ShareUsageBytes>3<\/ShareUsageBytes>/);
      assert.deepEqual([now.headers.etag, now.headers["last-modified"]], [undefined, undefined]);
      assert.match((await at("2018-03-28", request)).body, /<ShareUsage>1<\/ShareUsage>/);
    });

    test("replies to writes have the properties of SMB since 2019-02-02", async () => {
      const share = await kit.newShare();
      const create = { method: "PUT", path: `/${share.name}/d`, query: { restype: "directory" } };
      const older = await at("2018-11-09", create);
      const names = Object.keys(older.headers).filter((name) => name.startsWith("x-ms-file-"));
      assert.deepEqual(names, []);
      const newer = await at("2019-02-02", { ...create, path: `/${share.name}/e` });
      assert.ok(newer.headers["x-ms-file-id"] !== undefined);
    });

    test("Put Range reports the write time since 2021-06-08, and a clear no encryption", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(1_024);
      const put = { method: "PUT", path: `/${share.name}/f`, query: { comp: "range" } };
      const range = { "x-ms-range": "bytes=0-511" };
      const update = { ...put, headers: { ...range, "x-ms-write": "update" }, body: sample(512) };
      const time = "x-ms-file-last-write-time";
      assert.equal((await at("2021-04-10", update)).headers[time], undefined);
      const updated = await at("2021-06-08", update);
      assert.ok(updated.headers[time] !== undefined);
      assert.equal(updated.headers["x-ms-request-server-encrypted"], "true");
      const cleared = await at("2021-06-08", { ...put, headers: { ...range, "x-ms-write": "clear" } });
      assert.equal(cleared.headers["x-ms-request-server-encrypted"], undefined);
    });

    test("listings of a directory have ids since 2021-04-10, before only on request", async () => {
      const share = await kit.newShare();
      await share.rootDirectoryClient.createFile("f", 3);
      const list = {
        method: "GET",
        path: `/${share.name}/`,
        query: { restype: "directory", comp: "list" },
      };
      assert.doesNotMatch((await at("2021-02-12", list)).body, /DirectoryId|FileId/);
      const extended = { ...list, headers: { "x-ms-file-extended-info": "true" } };
      for (const reply of [await at("2021-02-12", extended), await at("2021-04-10", list)])
        assert.match(reply.body, /<DirectoryId>0<\/DirectoryId>.*<FileId>\d+<\/FileId>/);
    });

    test("a permission is JSON with its format since 2024-11-04, and has no content type", async () => {
      const share = await kit.newShare();
      const { filePermissionKey: key } = await share.rootDirectoryClient.getDirectoryClient("d").create();
      const get = {
        method: "GET",
        path: `/${share.name}`,
        query: { ...ofShare, comp: "filepermission" },
        headers: { "x-ms-file-permission-key": key! },
      };
      const older = await at("2024-08-04", get);
      assert.equal(older.headers["content-type"], undefined);
      assert.deepEqual(Object.keys(JSON.parse(older.body)), ["permission"]);
      assert.equal(JSON.parse((await at("2024-11-04", get)).body).format, "sddl");
    });
  });
}
