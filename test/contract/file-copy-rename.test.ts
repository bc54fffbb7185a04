import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import {
  FileSASPermissions,
  FileSystemAttributes,
  generateFileSASQueryParameters,
  RestError,
  StorageSharedKeyCredential,
} from "@azure/storage-file-share";
import { createFile } from "../../src/services/file/create-file.ts";
import { createDirectory } from "../../src/services/file/directories.ts";
import { FILE_LIMITS } from "../../src/services/file/limits.ts";
import { putRange } from "../../src/services/file/put-range.ts";
import { send } from "../kit/send.ts";
import { ENGINES } from "../kit/server.ts";
import { collectAll, refused, sample, useFiles } from "./file/kit.ts";

/** Files and directories under new names, and copies of files from here and from elsewhere. */
for (const engine of ENGINES) {
  suite(`copies and renames over ${engine}`, () => {
    const kit = useFiles(engine);

    /** Another server: it answers at once, or keeps its reader waiting. */
    let elsewhere: Server;
    let address: string;
    before(async () => {
      elsewhere = createServer((request, response) => {
        if (request.url === "/missing") response.writeHead(404).end();
        else if (request.url === "/secret") response.writeHead(403).end();
        else if (request.url === "/conflict") {
          response.writeHead(409, { "x-ms-error-code": "BlobArchived" }).end();
        } else if (request.url === "/endless") {
          response.writeHead(206);
          const send = (): void => void response.write(Buffer.alloc(65_536), (error) => error ?? send());
          send();
        } else if (request.url === "/torn") {
          response.writeHead(206, { "content-length": "9" }).write("from");
          setImmediate(() => response.destroy());
        } else if (request.url === "/slow") {
          response.writeHead(200, { "content-length": "1000000" });
          response.write(Buffer.alloc(10));
        } else {
          const headers = { "content-type": "text/far", "x-ms-meta-from": "far", "content-encoding": "gzip" };
          response.writeHead(200, { ...headers, "content-length": "9" }).end("from afar");
        }
      });
      await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
      address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    });
    after(() => {
      elsewhere.closeAllConnections();
      elsewhere.close();
    });

    test("a renamed file keeps its id, its bytes and its properties", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      await share.getDirectoryClient("d").create();
      const file = root.getFileClient("old");
      const made = await file.create(20_000, { metadata: { a: "1" } });
      await file.uploadRange(sample(20_000), 0, 20_000);
      const { destinationFileClient } = await file.rename("d/New", { contentType: "text/new" });
      assert.equal(destinationFileClient.name, "New");
      // The client it returns has an address without the account, as long as the endpoint is path-style.
      assert.equal((await destinationFileClient.getProperties()).fileId, made.fileId);
      const found = await share.getDirectoryClient("d").getFileClient("new").getProperties();
      assert.equal(found.fileId, made.fileId);
      assert.equal(found.contentType, "text/new");
      assert.deepEqual(found.metadata, { a: "1" });
      assert.deepEqual(
        await share.getDirectoryClient("d").getFileClient("NEW").downloadToBuffer(),
        sample(20_000),
      );
      await refused(file.getProperties(), 404, "ResourceNotFound");
      await share.getDirectoryClient("d").getFileClient("New").rename("d/NEW");
      const [listed] = await collectAll(share.getDirectoryClient("d").listFilesAndDirectories());
      assert.equal(listed!.name, "NEW");
    });

    test("a rename replaces a file on request, a directory never", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      for (const name of ["a", "b", "ro"]) await root.getFileClient(name).create(3);
      await root.getFileClient("a").uploadRange("aaa", 0, 3);
      await root
        .getFileClient("ro")
        .setProperties({ fileAttributes: FileSystemAttributes.parse("ReadOnly") });
      await root.getDirectoryClient("d").create();
      await root.getDirectoryClient("e").create();
      await refused(root.getFileClient("a").rename("b"), 409, "ResourceAlreadyExists");
      await refused(
        root.getFileClient("a").rename("d", { replaceIfExists: true }),
        409,
        "ResourceAlreadyExists",
      );
      await refused(
        root.getDirectoryClient("d").rename("e", { replaceIfExists: true }),
        409,
        "ResourceAlreadyExists",
      );
      await refused(root.getFileClient("a").rename("no/where"), 404, "ParentNotFound");
      await refused(root.getFileClient("none").rename("x"), 404, "ResourceNotFound");
      await refused(root.getDirectoryClient("d").rename("d/below"), 400, "InvalidInput");
      await refused(root.getDirectoryClient("a").rename("x"), 409, "ResourceTypeMismatch");
      await root.getFileClient("a").rename("b", { replaceIfExists: true });
      assert.equal((await root.getFileClient("b").downloadToBuffer()).toString(), "aaa");
      await root.getFileClient("b").rename("ro", { replaceIfExists: true, ignoreReadOnly: true });
      assert.equal((await share.getStatistics()).shareUsageBytes, 3);
    });

    test("a directory replaces a file despite its lease and attribute, when the request says so", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      const target = root.getFileClient("t");
      await target.create(3);
      for (const name of ["one", "two", "three"]) await root.getDirectoryClient(name).create();
      const rename = (from: string, headers: Record<string, string> = {}) =>
        kit.raw({
          method: "PUT",
          path: `/${share.name}/t`,
          query: { restype: "directory", comp: "rename" },
          headers: { "x-ms-file-rename-source": `${share.url}/${from}`, ...headers },
        });
      const replaces = { "x-ms-file-rename-replace-if-exists": "true" };
      assert.equal((await rename("one")).code, "ResourceAlreadyExists");
      assert.equal((await rename("one", replaces)).status, 200);
      assert.equal((await share.getStatistics()).shareUsageBytes, 0, "the file is gone");
      assert.equal((await rename("two", replaces)).code, "ResourceAlreadyExists", "a directory stays");
      await root.getDirectoryClient("t").delete();
      await target.create(3);
      const { leaseId } = await target.getShareLeaseClient().acquireLease();
      assert.equal((await rename("two", replaces)).code, "LeaseIdMissing");
      const lease = { "x-ms-destination-lease-id": leaseId! };
      assert.equal((await rename("two", { ...replaces, ...lease })).status, 200);
      await root.getDirectoryClient("t").delete();
      await target.create(3, { fileAttributes: FileSystemAttributes.parse("ReadOnly") });
      assert.equal((await rename("three", replaces)).code, "ReadOnlyAttribute");
      const ignores = { "x-ms-file-rename-ignore-readonly": "true" };
      assert.equal((await rename("three", { ...replaces, ...ignores })).status, 200);
    });

    test("a SAS that reads the old name and one that writes the new name rename a file", async () => {
      const share = await kit.newShare();
      await share.rootDirectoryClient.getFileClient("old").create(3);
      const sas = (path: string, permissions: string) =>
        generateFileSASQueryParameters(
          {
            shareName: share.name,
            filePath: path,
            permissions: FileSASPermissions.parse(permissions),
            expiresOn: new Date(Date.now() + 3_600_000),
          },
          new StorageSharedKeyCredential(kit.server.account, kit.server.key),
        ).toString();
      const rename = (read: string) =>
        send(kit.server, {
          service: "file",
          method: "PUT",
          path: `/${share.name}/new`,
          isAnonymous: true,
          target: `/${kit.server.account}/${share.name}/new?comp=rename&${sas("new", "w")}`,
          headers: { "x-ms-file-rename-source": `${share.url}/old?${read}`, "x-ms-version": "2021-10-04" },
        });
      assert.equal((await rename(sas("old", "d"))).status, 403);
      assert.equal((await rename(sas("old", "r"))).status, 200);
    });

    test("a copy source that is not there, or names no file, has the codes of the source", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await refused(file.startCopyFromURL(`${share.url}/none`), 404, "ResourceNotFound");
      const account = share.url.slice(0, share.url.lastIndexOf("/"));
      await refused(file.startCopyFromURL(`${account}/`), 400, "CannotVerifyCopySource");
    });

    test("a directory moves with everything below it, however much that is", async () => {
      const share = await kit.newShare();
      const ref = { account: kit.server.account, share: share.name };
      await createDirectory(kit.files, { ref: { ...ref, path: ["d"] }, requested: {} });
      await Promise.all(
        Array.from({ length: 500 }, (_, i) =>
          createFile(kit.files, { ref: { ...ref, path: ["d", `f${i}`] }, size: 1, requested: {} }),
        ),
      );
      const before = kit.server.runtime.engine.stats().bytes;
      await share.getDirectoryClient("d").rename("moved");
      const bytes = kit.server.runtime.engine.stats().bytes - before;
      assert.ok(bytes < 4_000, `a rename wrote ${bytes} bytes`);
      assert.equal(
        (await collectAll(share.getDirectoryClient("moved").listFilesAndDirectories())).length,
        500,
      );
      await refused(share.getDirectoryClient("d").getProperties(), 404, "ResourceNotFound");
    });

    test("leases on both sides of a rename ask for their ids", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      const [one, two] = ["11111111-2222-3333-4444-555555555555", "99999999-2222-3333-4444-555555555555"];
      await root.getFileClient("s").create(1);
      await root.getFileClient("t").create(1);
      await root.getFileClient("s").getShareLeaseClient(one).acquireLease();
      await root.getFileClient("t").getShareLeaseClient(two).acquireLease();
      const source = { sourceLeaseAccessConditions: { leaseId: one } };
      await refused(root.getFileClient("s").rename("t", { replaceIfExists: true }), 412, "LeaseIdMissing");
      await refused(
        root.getFileClient("s").rename("t", { replaceIfExists: true, ...source }),
        412,
        "LeaseIdMissing",
      );
      await root.getFileClient("s").rename("t", {
        replaceIfExists: true,
        ...source,
        destinationLeaseAccessConditions: { leaseId: two },
      });
      assert.equal((await root.getFileClient("t").getProperties()).leaseState, "leased");
    });

    test("a copy within the server shares its bytes and ends at once", async () => {
      const share = await kit.newShare();
      const other = await kit.newShare();
      const source = share.rootDirectoryClient.getFileClient("s");
      await source.create(100_000, { metadata: { a: "1" }, fileHttpHeaders: { fileContentType: "text/x" } });
      await source.uploadRange(sample(60_000), 10, 60_000);
      const target = other.rootDirectoryClient.getFileClient("t");
      const copy = await target.startCopyFromURL(source.url);
      assert.equal(copy.copyStatus, "success");
      const got = await target.getProperties();
      assert.equal(got.copyStatus, "success");
      assert.equal(got.copyProgress, "100000/100000");
      assert.equal(got.contentType, "text/x");
      assert.deepEqual(got.metadata, { a: "1" });
      await source.delete();
      assert.deepEqual(await target.downloadToBuffer(10, 60_000), sample(60_000));
      await refused(target.abortCopyFromURL(copy.copyId!), 409, "NoPendingCopyOperation");
      await refused(target.startCopyFromURL(source.url), 404, "ResourceNotFound");
      await refused(target.startCopyFromURL("nonsense"), 400, "InvalidHeaderValue");
    });

    test("a copy from a snapshot brings the earlier back", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(3);
      await file.uploadRange("old", 0, 3);
      const { snapshot } = await share.createSnapshot();
      await file.uploadRange("new", 0, 3);
      const earlier = share.withSnapshot(snapshot!).rootDirectoryClient.getFileClient("f");
      await file.startCopyFromURL(earlier.url);
      assert.equal((await file.downloadToBuffer()).toString(), "old");
    });

    test("a file of many ranges is copied in steps, and reports its progress", async () => {
      const share = await kit.newShare();
      const ref = { account: kit.server.account, share: share.name };
      const count = FILE_LIMITS.copyRangesPerStep * 2 + 10;
      await createFile(kit.files, { ref: { ...ref, path: ["s"] }, size: count * 1_024, requested: {} });
      await Promise.all(
        Array.from({ length: count }, (_, i) => {
          const inline = Buffer.from([i & 0xff]);
          const bytes = { content: { inline }, length: 1, release() {} };
          return putRange(kit.files, {
            ref: { ...ref, path: ["s"] },
            from: i * 1_024,
            to: i * 1_024 + 1,
            bytes,
          });
        }),
      );
      const root = share.rootDirectoryClient;
      await root.getFileClient("t").startCopyFromURL(root.getFileClient("s").url);
      for (let tries = 0; tries < 200; tries++) {
        if ((await root.getFileClient("t").getProperties()).copyStatus === "success") break;
      }
      assert.deepEqual(
        await root.getFileClient("t").downloadToBuffer(),
        await root.getFileClient("s").downloadToBuffer(),
      );
      assert.equal((await root.getFileClient("t").getRangeList()).rangeList.length, count);
    });

    test("a copy from elsewhere fetches; its refusals are the source's; a pending one can be aborted", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("t");
      await file.startCopyFromURL(`${address}/fine`);
      const got = await file.getProperties();
      assert.equal(got.contentType, "text/far");
      assert.equal(got.contentEncoding, "gzip");
      assert.equal(got.contentLength, "from afar".length, "as it is stored, and not unpacked");
      assert.deepEqual(got.metadata, { from: "far" });
      await refused(file.startCopyFromURL(`${address}/missing`), 404, "CannotVerifyCopySource");
      await refused(file.startCopyFromURL(`${address}/secret`), 403, "CannotVerifyCopySource");
      await refused(file.startCopyFromURL("http://127.0.0.1:1/gone"), 500, "CannotVerifyCopySource");
      const slow = await file.startCopyFromURL(`${address}/slow`);
      assert.equal(slow.copyStatus, "pending");
      await refused(file.uploadRange("a", 0, 1), 409, "PendingCopyOperation");
      await refused(file.getShareLeaseClient().acquireLease(), 409, "PendingCopyOperation");
      await refused(file.abortCopyFromURL("11111111-2222-3333-4444-555555555555"), 409, "CopyIdMismatch");
      await file.abortCopyFromURL(slow.copyId!);
      const aborted = await file.getProperties();
      assert.equal(aborted.copyStatus, "aborted");
      assert.equal(aborted.contentLength, 0);
    });

    test("a range from elsewhere: what is not that range, or not all of it, is not written", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("t");
      await file.create(9);
      await file.uploadRange("untouched", 0, 9);
      for (const source of ["fine", "endless", "torn"]) {
        await refused(
          file.uploadRangeFromURL(`${address}/${source}`, 0, 0, 9),
          500,
          "CannotVerifyCopySource",
        );
      }
      const conflict = await file.uploadRangeFromURL(`${address}/conflict`, 0, 0, 9).catch((error) => error);
      assert.deepEqual([conflict.statusCode, conflict.code], [409, "CannotVerifyCopySource"]);
      assert.equal(conflict.response.headers.get("x-ms-copy-source-error-code"), "BlobArchived");
      assert.equal((await file.downloadToBuffer()).toString(), "untouched");
    });

    test("a source of another's needs a signature of its own", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      const source = root.getFileClient("s");
      await source.create(3);
      await source.uploadRange("abc", 0, 3);
      const credential = new StorageSharedKeyCredential(kit.server.account, kit.server.key);
      const sign = (letters: string): string => {
        const permissions = FileSASPermissions.parse(letters);
        const expiresOn = new Date(Date.now() + 3_600_000);
        return String(
          generateFileSASQueryParameters(
            { shareName: share.name, filePath: "s", permissions, expiresOn },
            credential,
          ),
        );
      };
      await root.getFileClient("t").startCopyFromURL(`${source.url}?${sign("r")}`);
      assert.equal((await root.getFileClient("t").downloadToBuffer()).toString(), "abc");
      await refused(
        root.getFileClient("u").startCopyFromURL(`${source.url}?${sign("d")}`),
        403,
        "CannotVerifyCopySource",
      );
      assert.ok(!(await root.getFileClient("t").getProperties()).copySource!.includes("sig="));
    });

    test("a range is put from another file", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      await root.getFileClient("s").create(20_000);
      await root.getFileClient("s").uploadRange(sample(20_000), 0, 20_000);
      const target = root.getFileClient("t");
      await target.create(20_000);
      const credential = new StorageSharedKeyCredential(kit.server.account, kit.server.key);
      const urlOf = (name: string): string => {
        const permissions = FileSASPermissions.parse("r");
        const expiresOn = new Date(Date.now() + 3_600_000);
        const values = { shareName: share.name, filePath: name, permissions, expiresOn };
        return `${root.getFileClient(name).url}?${generateFileSASQueryParameters(values, credential)}`;
      };
      await target.uploadRangeFromURL(urlOf("s"), 100, 50, 15_000);
      assert.deepEqual(await target.downloadToBuffer(50, 15_000), sample(20_000).subarray(100, 15_100));
      await refused(target.uploadRangeFromURL(urlOf("none"), 0, 0, 10), 404, "CannotVerifyCopySource");
      await refused(target.uploadRangeFromURL(urlOf("s"), 0, 19_999, 10), 416, "InvalidRange");
      // The key that signs the request opens the target; the source has to be opened by its own address.
      await assert.rejects(
        target.uploadRangeFromURL(root.getFileClient("s").url, 0, 0, 10),
        (error: unknown) => {
          assert(error instanceof RestError);
          assert.deepEqual([error.statusCode, error.code], [401, "CannotVerifyCopySource"]);
          const { copySourceErrorCode, copySourceStatusCode } = error.details as Record<string, unknown>;
          assert.deepEqual([copySourceStatusCode, copySourceErrorCode], [401, "NoAuthenticationInformation"]);
          return true;
        },
      );
      const put = (headers: Record<string, string>) =>
        kit.raw({
          method: "PUT",
          path: `/${share.name}/t`,
          query: { comp: "range" },
          headers: {
            "x-ms-write": "update",
            "x-ms-range": "bytes=0-9",
            "x-ms-copy-source": urlOf("s"),
            ...headers,
          },
        });
      assert.equal((await put({ "x-ms-source-range": "bytes=0-4" })).code, "InvalidHeaderValue");
      const crc = { "x-ms-source-range": "bytes=0-9", "x-ms-source-content-crc64": "AAAAAAAAAAA=" };
      assert.equal((await put(crc)).code, "Crc64Mismatch");
      const condition = { "x-ms-source-range": "bytes=0-9", "x-ms-source-if-match-crc64": "AAAAAAAAAAA=" };
      assert.equal((await put(condition)).code, "ConditionNotMet");
      assert.equal((await put({ "x-ms-source-range": "bytes=0-9" })).status, 201);
    });
  });
}
