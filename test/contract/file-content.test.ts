import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { suite, test } from "node:test";
import { KIB, MIB, TIB } from "../../src/base/limits.ts";
import { ENGINES } from "../kit/server.ts";
import { refused, sample, useFiles } from "./file/kit.ts";

/** What is in files: sparse content, ranges, digests, and every refusal on the way. */
for (const engine of ENGINES) {
  suite(`content of files over ${engine}`, () => {
    const kit = useFiles(engine);

    test("a file of 4 TiB holds what was written at its ends and nothing in between", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("huge");
      await file.create(4 * TIB);
      const [head, tail] = [sample(1 * MIB, 1), sample(20_000, 2)];
      await file.uploadRange(head, 0, head.length);
      await file.uploadRange(tail, 4 * TIB - tail.length, tail.length);
      assert.deepEqual(await file.downloadToBuffer(0, head.length), head);
      assert.deepEqual(await file.downloadToBuffer(4 * TIB - tail.length, tail.length), tail);
      assert.deepEqual(await file.downloadToBuffer(2 * TIB, 3 * MIB), Buffer.alloc(3 * MIB));
      assert.deepEqual((await file.getRangeList()).rangeList, [
        { start: 0, end: head.length - 1 },
        { start: 4 * TIB - tail.length, end: 4 * TIB - 1 },
      ]);
      await refused(file.resize(4 * TIB + 1), 400, "OutOfRangeInput");
      await file.clearRange(0, 3 * TIB);
      assert.equal((await file.getRangeList()).rangeList.length, 1);
      await file.delete();
    });

    test("writers of different ranges at once never lose each other's bytes", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      const length = 64;
      const chunks = Array.from({ length }, (_, i) => sample(i % 3 === 0 ? 12_000 : 700, i));
      const starts = chunks.map((_, i) => i * 12_000);
      await file.create(length * 12_000);
      await Promise.all(chunks.map((chunk, i) => file.uploadRange(chunk, starts[i]!, chunk.length)));
      const whole = await file.downloadToBuffer();
      for (const [i, chunk] of chunks.entries()) {
        assert.deepEqual(whole.subarray(starts[i]!, starts[i]! + chunk.length), chunk);
      }
    });

    test("a reader sees each Put Range whole or not at all", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      const length = 300_000;
      await file.create(length);
      await file.uploadRange(Buffer.alloc(length, 1), 0, length);
      let isWriting = true;
      const writer = (async () => {
        for (let value = 2; value < 12; value++)
          await file.uploadRange(Buffer.alloc(length, value), 0, length);
        isWriting = false;
      })();
      while (isWriting) {
        const seen = new Set(await file.downloadToBuffer());
        assert.equal(seen.size, 1);
      }
      await writer;
    });

    test("clearing frees whole units of 512 bytes and puts zeros at the edges", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(4_096);
      await file.uploadRange(Buffer.alloc(4_096, 7), 0, 4_096);
      await file.clearRange(100, 2_000);
      const expected = Buffer.alloc(4_096, 7).fill(0, 100, 2_100);
      assert.deepEqual(await file.downloadToBuffer(), expected);
      assert.deepEqual((await file.getRangeList()).rangeList, [
        { start: 0, end: 511 },
        { start: 2_048, end: 4_095 },
      ]);
      await file.clearRange(10, 5);
      assert.equal((await file.getRangeList()).rangeList.length, 2);
    });

    test("clearing all of a file leaves nothing, but for what snapshots see, and it is written anew", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      const size = 64 * KIB + 100;
      await file.create(size);
      await file.uploadRange(sample(size), 0, size);
      for (let at = 0; at < 16; at++) await file.uploadRange(sample(1 * KIB, at), at * 3 * KIB, 1 * KIB);
      const before = await file.downloadToBuffer();
      const { snapshot } = await share.createSnapshot();
      await file.clearRange(0, size);
      assert.deepEqual(await file.downloadToBuffer(), Buffer.alloc(size));
      // The last 100 bytes are no whole unit: they are zeros that were written.
      const left = [{ start: 64 * KIB, end: size - 1 }];
      assert.deepEqual((await file.getRangeList()).rangeList, left);
      await file.uploadRange(sample(1 * KIB, 99), 5 * KIB, 1 * KIB);
      const diff = await file.getRangeListDiff(snapshot!);
      assert.deepEqual(diff.ranges, [{ start: 5 * KIB, end: 6 * KIB - 1 }, ...left]);
      assert.deepEqual(diff.clearRanges, [
        { start: 0, end: 5 * KIB - 1 },
        { start: 6 * KIB, end: 64 * KIB - 1 },
      ]);
      const kept = share.withSnapshot(snapshot!).rootDirectoryClient.getFileClient("f");
      assert.deepEqual(await kept.downloadToBuffer(), before);
      assert.deepEqual((await file.downloadToBuffer()).subarray(5 * KIB, 6 * KIB), sample(1 * KIB, 99));
    });

    test("changes since a snapshot are reported as ranges and cleared ranges", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(100 * KIB);
      await file.uploadRange(sample(50 * KIB), 0, 50 * KIB);
      const { snapshot } = await share.createSnapshot();
      await file.uploadRange(sample(10 * KIB, 5), 20 * KIB, 10 * KIB);
      await file.clearRange(40 * KIB, 10 * KIB);
      await file.uploadRange(sample(10 * KIB, 6), 80 * KIB, 10 * KIB);
      const diff = await file.getRangeListDiff(snapshot!);
      assert.deepEqual(diff.ranges, [
        { start: 20 * KIB, end: 30 * KIB - 1 },
        { start: 80 * KIB, end: 90 * KIB - 1 },
      ]);
      assert.deepEqual(diff.clearRanges, [{ start: 40 * KIB, end: 50 * KIB - 1 }]);
      const fresh = share.rootDirectoryClient.getFileClient("fresh");
      await fresh.create(10);
      await refused(fresh.getRangeListDiff(snapshot!), 409, "FileGenerationMismatch");
      await refused(file.getRangeListDiff("2001-01-01T00:00:00.0000000Z"), 404, "ShareNotFound");
      await refused(file.getRangeListDiff("yesterday"), 400, "InvalidQueryParameterValue");
    });

    test("changes since a snapshot are counted in units of 512 bytes", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(2_049);
      await file.uploadRange("Hello", 0, 5);
      await file.uploadRange("tail", 2_040, 4);
      const { snapshot } = await share.createSnapshot();
      await file.clearRange(0, 1_024);
      await file.uploadRange("World", 1_023, 5);
      await file.uploadRange("t", 2_048, 1);
      const { ranges, clearRanges } = await file.getRangeListDiff(snapshot!);
      assert.deepEqual(ranges, [
        { start: 512, end: 1_535 },
        { start: 2_048, end: 2_048 },
      ]);
      assert.deepEqual(clearRanges, [{ start: 0, end: 511 }]);
    });

    test("changes since a snapshot list what was cleared, also where nothing was before", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(4_096);
      const { snapshot } = await share.createSnapshot();
      await file.uploadRange(sample(1_536), 0, 1_536);
      await file.clearRange(512, 512);
      await file.clearRange(3_000, 900);
      const { ranges, clearRanges } = await file.getRangeListDiff(snapshot!);
      assert.deepEqual(ranges, [
        { start: 0, end: 511 },
        { start: 1_024, end: 1_535 },
        { start: 2_560, end: 3_071 },
        { start: 3_584, end: 4_095 },
      ]);
      assert.deepEqual(clearRanges, [
        { start: 512, end: 1_023 },
        { start: 3_072, end: 3_583 },
      ]);
      assert.deepEqual((await file.getRangeList()).rangeList, [
        { start: 0, end: 511 },
        { start: 1_024, end: 1_535 },
        { start: 3_000, end: 3_071 },
        { start: 3_584, end: 3_899 },
      ]);
      const expected = Buffer.concat([sample(512), Buffer.alloc(512), sample(1_536).subarray(1_024)]);
      assert.deepEqual(await file.downloadToBuffer(0, 1_536), expected);
      const second = await share.createSnapshot();
      assert.deepEqual((await file.getRangeListDiff(second.snapshot!)).clearRanges, []);
    });

    test("ranges and digests outside their rules are refused", async () => {
      const share = await kit.newShare();
      const path = `/${share.name}/f`;
      const file = share.rootDirectoryClient.getFileClient("f");
      await file.create(1_000);
      const put = (headers: Record<string, string>, body: Buffer = Buffer.from("abc")) =>
        kit.raw({ method: "PUT", path, query: { comp: "range" }, headers, body });
      const write = { "x-ms-write": "update" };
      for (const [headers, code, body] of [
        [{ "x-ms-range": "bytes=0-2" }, "MissingRequiredHeader"],
        [{ ...write }, "MissingRequiredHeader"],
        [{ ...write, "x-ms-range": "bytes=0-" }, "InvalidHeaderValue"],
        [{ ...write, "x-ms-range": "bytes=5-1" }, "InvalidHeaderValue"],
        [{ ...write, "x-ms-range": "bytes=0-3" }, "InvalidHeaderValue"],
        [{ ...write, "x-ms-range": "bytes=998-1000" }, "InvalidRange"],
        [{ "x-ms-write": "erase", "x-ms-range": "bytes=0-2" }, "InvalidHeaderValue"],
        [{ "x-ms-write": "clear", "x-ms-range": "bytes=0-2" }, "InvalidHeaderValue"],
        [{ ...write, "x-ms-range": "bytes=0-2", "content-md5": "x" }, "InvalidMd5"],
        [{ ...write, "x-ms-range": "bytes=0-2", "content-md5": "AAAAAAAAAAAAAAAAAAAAAA==" }, "Md5Mismatch"],
        [{ ...write, "x-ms-range": "bytes=0-2", "x-ms-file-last-write-time": "later" }, "InvalidHeaderValue"],
        [{ ...write, "x-ms-range": "bytes=0-2", "if-match": "*" }, "ConditionHeadersNotSupported"],
        [
          { "x-ms-write": "clear", "x-ms-range": "bytes=0-2", "content-md5": "AAAAAAAAAAAAAAAAAAAAAA==" },
          "InvalidHeaderValue",
          Buffer.alloc(0),
        ],
      ] as const) {
        const reply = await put(headers as never, body);
        assert.equal(reply.code, code, JSON.stringify(headers));
      }
      const fine = await put({ ...write, "x-ms-range": "bytes=0-2" });
      assert.equal(fine.status, 201);
      assert.equal(fine.headers["content-md5"], createHash("md5").update("abc").digest("base64"));
      const large = await put({ ...write, "x-ms-range": `bytes=0-${4 * MIB}` }, Buffer.alloc(4 * MIB + 1));
      assert.deepEqual([large.status, large.code], [413, "RequestBodyTooLarge"]);
      const get = (headers: Record<string, string>) => kit.raw({ method: "GET", path, headers });
      const beyond = await get({ "x-ms-range": "bytes=1000-1001" });
      assert.deepEqual([beyond.status, beyond.code], [416, "InvalidRange"]);
      assert.equal((await get({ "x-ms-range-get-content-md5": "true" })).code, "InvalidHeaderValue");
      const digest = await get({ "x-ms-range": "bytes=0-9", "x-ms-range-get-content-md5": "true" });
      assert.equal(digest.status, 206);
      assert.equal(
        digest.headers["content-md5"],
        createHash("md5").update("abc\0\0\0\0\0\0\0").digest("base64"),
      );
      assert.equal(digest.headers["content-range"], "bytes 0-9/1000");
    });

    test("creating a file is refused where its headers are wrong", async () => {
      const share = await kit.newShare();
      const path = `/${share.name}/f`;
      const put = (headers: Record<string, string>, body?: Buffer) =>
        kit.raw({ method: "PUT", path, headers, ...(body === undefined ? {} : { body }) });
      const file = { "x-ms-type": "file" };
      for (const [headers, code] of [
        [{ "x-ms-content-length": "1" }, "MissingRequiredHeader"],
        [{ ...file }, "MissingRequiredHeader"],
        [{ ...file, "x-ms-content-length": "-1" }, "OutOfRangeInput"],
        [{ ...file, "x-ms-content-length": String(4 * TIB + 1) }, "OutOfRangeInput"],
        [{ ...file, "x-ms-content-length": "many" }, "InvalidHeaderValue"],
        [{ ...file, "x-ms-content-length": "1", "x-ms-content-md5": "" }, "InvalidHeaderValue"],
        [{ "x-ms-type": "folder", "x-ms-content-length": "1" }, "InvalidHeaderValue"],
        [{ ...file, "x-ms-content-length": "1", "x-ms-file-attributes": "Shiny" }, "InvalidHeaderValue"],
        [{ ...file, "x-ms-content-length": "1", "x-ms-file-creation-time": "noon" }, "InvalidHeaderValue"],
        [
          { ...file, "x-ms-content-length": "1", "x-ms-file-permission": "nonsense" },
          "FileInvalidPermission",
        ],
        [{ ...file, "x-ms-content-length": "1", "x-ms-content-md5": "short" }, "InvalidMd5"],
        [{ ...file, "x-ms-content-length": "1", "x-ms-meta-9": "v" }, "InvalidMetadata"],
        [{ ...file, "x-ms-content-length": "1", "x-ms-meta-a": "v".repeat(9_000) }, "MetadataTooLarge"],
      ] as const) {
        assert.equal((await put(headers as never)).code, code, JSON.stringify(headers).slice(0, 200));
      }
      const early = await put({ ...file, "x-ms-content-length": "3" }, Buffer.from("abc"));
      assert.equal(early.code, "InvalidHeaderValue", "before 2026-02-06 a new file comes without bytes");
      const version = { "x-ms-version": "2026-02-06" };
      const made = await put({ ...file, ...version, "x-ms-content-length": "5" }, Buffer.from("abc"));
      assert.equal(made.status, 201, made.body);
      const bytes = await share.rootDirectoryClient.getFileClient("f").downloadToBuffer();
      assert.deepEqual(bytes, Buffer.from("abc\0\0"));
    });

    test("a read-only file takes no change until the attribute is taken away", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      const file = root.getFileClient("f");
      const readOnly = await kit.raw({
        method: "PUT",
        path: `/${share.name}/f`,
        headers: {
          "x-ms-type": "file",
          "x-ms-content-length": "10",
          "x-ms-file-attributes": "ReadOnly | Hidden",
        },
      });
      assert.equal(readOnly.headers["x-ms-file-attributes"], "ReadOnly | Hidden | Archive");
      await refused(file.create(1), 409, "ReadOnlyAttribute");
      await refused(file.uploadRange("a", 0, 1), 409, "ReadOnlyAttribute");
      await refused(file.setMetadata({ a: "1" }), 409, "ReadOnlyAttribute");
      await refused(file.setHttpHeaders({ fileContentType: "a/b" }), 409, "ReadOnlyAttribute");
      await refused(file.delete(), 409, "ReadOnlyAttribute");
      await root.getFileClient("s").create(1);
      await refused(root.getFileClient("s").rename("f", { replaceIfExists: true }), 409, "ReadOnlyAttribute");
      await refused(file.startCopyFromURL(root.getFileClient("s").url), 409, "ReadOnlyAttribute");
      const cleared = await kit.raw({
        method: "PUT",
        path: `/${share.name}/f`,
        query: { comp: "properties" },
        headers: { "x-ms-file-attributes": "None" },
      });
      assert.equal(cleared.headers["x-ms-file-attributes"], "Archive");
      await file.delete();
    });

    test("times are what the client says, now, or as they were", async () => {
      const share = await kit.newShare();
      const file = share.rootDirectoryClient.getFileClient("f");
      const time = new Date("2001-02-03T04:05:06.789Z");
      await file.create(10, { creationTime: time, lastWriteTime: time, changeTime: time });
      const made = await file.getProperties();
      assert.deepEqual(made.fileCreatedOn, time);
      assert.deepEqual(made.fileLastWriteOn, time);
      assert.deepEqual(made.fileChangeOn, time);
      await file.uploadRange("a", 0, 1, { fileLastWrittenMode: "Preserve" });
      assert.deepEqual((await file.getProperties()).fileLastWriteOn, time);
      await file.uploadRange("a", 0, 1);
      const written = await file.getProperties();
      assert.notDeepEqual(written.fileLastWriteOn, time);
      assert.deepEqual(written.fileCreatedOn, time);
      await file.setProperties({ creationTime: "preserve", lastWriteTime: time });
      assert.deepEqual((await file.getProperties()).fileLastWriteOn, time);
    });

    test("a lease of a file goes through its states and guards every change", async () => {
      const share = await kit.newShare();
      const root = share.rootDirectoryClient;
      const file = root.getFileClient("f");
      await file.create(10);
      const [id, other] = ["11111111-2222-3333-4444-555555555555", "99999999-2222-3333-4444-555555555555"];
      const with_ = (leaseId: string) => ({ leaseAccessConditions: { leaseId } });
      await refused(file.setMetadata({}, with_(id)), 412, "LeaseNotPresentWithFileOperation");
      await refused(file.getShareLeaseClient(id).releaseLease(), 409, "LeaseIdMismatchWithLeaseOperation");
      await refused(file.getShareLeaseClient(id).breakLease(), 409, "LeaseNotPresentWithLeaseOperation");
      const lease = file.getShareLeaseClient(id);
      await lease.acquireLease();
      await lease.acquireLease();
      await refused(file.getShareLeaseClient(other).acquireLease(), 409, "LeaseAlreadyPresent");
      await refused(file.create(1), 412, "LeaseIdMissing");
      await refused(file.uploadRange("a", 0, 1), 412, "LeaseIdMissing");
      await refused(file.clearRange(0, 1), 412, "LeaseIdMissing");
      await refused(file.setMetadata({}), 412, "LeaseIdMissing");
      await refused(file.setHttpHeaders({}), 412, "LeaseIdMissing");
      await refused(file.delete(), 412, "LeaseIdMissing");
      await refused(file.rename("g"), 412, "LeaseIdMissing");
      await refused(file.uploadRange("a", 0, 1, with_(other)), 412, "LeaseIdMismatchWithFileOperation");
      await refused(file.getProperties(with_(other)), 412, "LeaseIdMismatchWithFileOperation");
      await refused(file.getRangeList(with_(other)), 412, "LeaseIdMismatchWithFileOperation");
      await file.getProperties();
      await file.uploadRange("a", 0, 1, with_(id));
      await file.create(10, with_(id));
      assert.equal((await file.getProperties()).leaseState, "leased", "the lease stays on a file made anew");
      await root.getFileClient("s").create(1);
      await refused(root.getFileClient("s").rename("f", { replaceIfExists: true }), 412, "LeaseIdMissing");
      await lease.changeLease(other);
      await refused(file.getShareLeaseClient(id).changeLease(id), 409, "LeaseIdMismatchWithLeaseOperation");
      const renewed = await kit.raw({
        method: "PUT",
        path: `/${share.name}/f`,
        query: { comp: "lease" },
        headers: { "x-ms-lease-action": "renew", "x-ms-lease-id": other },
      });
      assert.equal(renewed.code, "InvalidHeaderValue", "a file's lease never ends, so nothing renews it");
      await file.getShareLeaseClient(other).breakLease();
      assert.equal((await file.getProperties()).leaseState, "broken");
      await refused(file.setMetadata({}, with_(other)), 412, "LeaseLost");
      await file.setMetadata({});
      assert.equal((await file.getProperties()).leaseState, "available");
      await lease.acquireLease();
      await lease.breakLease();
      await file.create(1);
      assert.equal((await file.getProperties()).leaseState, "available", "and so does a file made anew");
      const absent = root.getFileClient("absent");
      await refused(absent.create(1, with_(id)), 412, "LeaseNotPresentWithFileOperation");
    });
  });
}
