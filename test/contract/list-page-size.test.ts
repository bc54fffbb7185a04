import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { BlobServiceClient } from "@azure/storage-blob";
import { LIMITS, MIB } from "../../src/base/limits.ts";
import { READ } from "../../src/concurrency/share-mode.ts";
import { BLOB_OPERATIONS } from "../../src/http/blob/operations.ts";
import type { HttpReply, HttpRequest } from "../../src/http/exchange.ts";
import { FILE_OPERATIONS } from "../../src/http/file/operations.ts";
import { readQuery } from "../../src/http/query.ts";
import { blobContext } from "../../src/services/blob/context.ts";
import { BLOB_LIMITS } from "../../src/services/blob/limits.ts";
import { putPage } from "../../src/services/blob/put-page.ts";
import { FileService } from "../../src/services/file/file-service.ts";
import { FILE_LIMITS } from "../../src/services/file/limits.ts";
import { openInode } from "../../src/services/file/opens/open-inode.ts";
import { putRange } from "../../src/services/file/put-range.ts";
import { ingest } from "../../src/services/payload/content.ts";
import { type RawReply, type RawRequest, send } from "../kit/send.ts";
import { ENGINES, startTestServer, type TestServer } from "../kit/server.ts";

/**
 * Entries as large as clients can make them: a page ends at its size, and the pages together have each entry
 * once. Each ampersand of metadata takes five bytes in a listing.
 */
const METADATA = { "x-ms-meta-long": "&".repeat(7_900) };
const ENTRIES = 130;
/** The last entry may reach beyond the limit, and so may what stands around the entries. */
const PAGE_BYTES_MAX = LIMITS.listPageBytesMax + 256 * 1_024;

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, number) => `n${String(number).padStart(5, "0")}`);

const unread = (): never => {
  throw new Error("there is no body");
};

/** Some at a time, as a client with several connections. */
async function forEach<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const item of rest) await run(item);
    }),
  );
}

for (const engine of ENGINES) {
  suite(`pages end at their size on ${engine}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ engine });
    });
    after(() => server.close());

    const ask = (service: RawRequest["service"], request: Partial<RawRequest>): Promise<RawReply> =>
      send(server, { method: "GET", path: "", ...request, service });

    const put = async (
      service: RawRequest["service"],
      path: string,
      request: Partial<RawRequest> = {},
    ): Promise<void> => {
      const reply = await ask(service, { method: "PUT", path, body: Buffer.alloc(0), ...request });
      assert.ok(reply.status < 300, `${path.slice(0, 100)}: ${reply.status} ${reply.body.slice(0, 300)}`);
    };

    /** All entries of all pages, as `entry` finds them. */
    async function walk(
      service: RawRequest["service"],
      request: Partial<RawRequest>,
      entry: RegExp,
    ): Promise<{ readonly entries: string[]; readonly pages: number }> {
      const entries: string[] = [];
      let marker: string | undefined = "";
      let pages = 0;
      while (marker !== undefined) {
        const query: Record<string, string> = { ...request.query, ...(marker === "" ? {} : { marker }) };
        const { status, body } = await ask(service, { ...request, query });
        assert.equal(status, 200, body.slice(0, 300));
        const bytes = Buffer.byteLength(body);
        assert.ok(bytes <= PAGE_BYTES_MAX, `a page of ${bytes} bytes`);
        entries.push(...[...body.matchAll(entry)].map((found) => found.slice(1).join(" ")));
        marker = /<NextMarker>([^<]+)</.exec(body)?.[1];
        if (marker !== undefined) assert.ok(bytes >= LIMITS.listPageBytesMax, `a short page: ${bytes}`);
        pages++;
      }
      return { entries, pages };
    }

    test("containers, with their metadata", async () => {
      const names = numbered(ENTRIES);
      const query = { restype: "container" };
      await forEach(names, (name) => put("blob", `/${name}`, { query, headers: METADATA }));
      const found = await walk(
        "blob",
        { query: { comp: "list", include: "metadata", prefix: "n0" } },
        /<Container><Name>(\w+)</g,
      );
      assert.deepEqual(found.entries, names);
      assert.equal(found.pages, 2);
    });

    test("blobs with their metadata, their snapshots, and those that were deleted", async () => {
      const service = BlobServiceClient.fromConnectionString(server.connectionString);
      await service.setProperties({ deleteRetentionPolicy: { enabled: true, days: 1 } });
      const query = { restype: "container" };
      await put("blob", "/blobs", { query });
      const names = numbered(ENTRIES);
      const headers = { ...METADATA, "x-ms-blob-type": "BlockBlob" };
      await forEach(names, (name) => put("blob", `/blobs/${name}`, { headers }));
      const list = { path: "/blobs", query: { ...query, comp: "list", include: "metadata" } };
      const flat = await walk("blob", list, /<Blob><Name>(\w+)</g);
      assert.deepEqual(flat.entries, names);
      assert.equal(flat.pages, 2);
      const few = names.slice(0, 6);
      await forEach(few, async (name) => {
        for (let count = 0; count < 20; count++)
          await put("blob", `/blobs/${name}`, { query: { comp: "snapshot" } });
      });
      await forEach(few.slice(0, 3), async (name) => {
        const deletion = { method: "DELETE", headers: { "x-ms-delete-snapshots": "include" } };
        assert.equal((await ask("blob", { ...deletion, path: `/blobs/${name}` })).status, 202);
      });
      const earlier = await walk(
        "blob",
        { ...list, query: { ...list.query, include: "metadata,snapshots,deleted" } },
        /<Blob><Name>(\w+)<\/Name>(?:<Snapshot>([^<]+)<)?/g,
      );
      assert.equal(earlier.entries.length, ENTRIES + 6 * 20);
      assert.equal(new Set(earlier.entries).size, earlier.entries.length);
      assert.deepEqual(
        earlier.entries.filter((entry) => entry.endsWith(" ")).map((entry) => entry.trim()),
        names,
      );
    });

    test("blobs and folders of a hierarchy, and blobs with a tag", async () => {
      await put("blob", "/tree", { query: { restype: "container" } });
      const long = "&".repeat(980);
      const names = numbered(900).map((name, number) => `${name}${long}${number % 3 === 0 ? "/x" : ""}`);
      const headers = { "x-ms-blob-type": "BlockBlob", "x-ms-tags": "kind=long" };
      await forEach(names, (name) => put("blob", `/tree/${encodeURIComponent(name)}`, { headers }));
      const query = { restype: "container", comp: "list", delimiter: "/" };
      const found = await walk(
        "blob",
        { path: "/tree", query },
        /<(Blob|BlobPrefix)><Name>(\w+?)(?:&amp;)+(\/?)</g,
      );
      const expected = names.map((name) =>
        name.endsWith("/x") ? `BlobPrefix ${name.slice(0, 6)} /` : `Blob ${name.slice(0, 6)} `,
      );
      assert.deepEqual(found.entries, expected);
      assert.equal(found.pages, 2);
      const tagged = await walk(
        "blob",
        { query: { comp: "blobs", where: `"kind"='long'` } },
        /<Blob><Name>(\w+?)&/g,
      );
      assert.deepEqual(
        tagged.entries,
        names.map((name) => name.slice(0, 6)),
      );
      assert.equal(tagged.pages, 2);
    });

    test("queues, with their metadata", async () => {
      const names = numbered(ENTRIES);
      await forEach(names, (name) => put("queue", `/${name}`, { headers: METADATA }));
      const query = { comp: "list", include: "metadata" };
      const found = await walk("queue", { query }, /<Queue><Name>(\w+)</g);
      assert.deepEqual(found.entries, names);
      assert.equal(found.pages, 2);
    });

    test("shares and their snapshots, with their metadata", async () => {
      const names = numbered(ENTRIES);
      const query = { restype: "share" };
      await forEach(names, (name) => put("file", `/${name}`, { query, headers: METADATA }));
      for (let count = 0; count < 120; count++)
        await put("file", `/${names[3]}`, { query: { ...query, comp: "snapshot" }, headers: METADATA });
      const found = await walk(
        "file",
        { query: { comp: "list", include: "metadata,snapshots" } },
        /<Share><Name>(\w+)<\/Name>(?:<Snapshot>([^<]+)<)?/g,
      );
      assert.equal(found.entries.length, ENTRIES + 120);
      assert.equal(new Set(found.entries).size, found.entries.length);
      assert.deepEqual([...new Set(found.entries.map((entry) => entry.slice(0, 6)))], names);
    });

    test("files of a directory, and handles with long paths", async () => {
      await put("file", "/deep", { query: { restype: "share" } });
      // Not a character of XML: each is printed in nine.
      const long = "\ufffe".repeat(240);
      const names = numbered(1_900).map((name) => name + long);
      const headers = { "x-ms-type": "file", "x-ms-content-length": "0" };
      await forEach(names, (name) => put("file", `/deep/${encodeURIComponent(name)}`, { headers }));
      const query = { restype: "directory", comp: "list" };
      const found = await walk("file", { path: "/deep/", query }, /<Name Encoded="true">(\w+?)%EF/g);
      assert.deepEqual(found.entries, numbered(1_900));
      assert.equal(found.pages, 2);

      const path: string[] = [];
      for (let level = 0; level < 7; level++) {
        path.push(long);
        const encoded = path.map(encodeURIComponent).join("/");
        await put("file", `/deep/${encoded}`, { query: { restype: "directory" } });
      }
      const files = new FileService(server.runtime.parts);
      const opens: string[] = [];
      for (let count = 0; count < 400; count++) {
        const opened = await openInode(files, {
          ref: { account: server.account, share: "deep", path },
          access: READ,
          shareMode: READ,
          session: 7n,
          clientAddress: "10.0.0.9:50000",
          clientName: "workstation",
        });
        opens.push(String(opened.id));
      }
      const listed = await walk(
        "file",
        {
          path: `/deep/${path.map(encodeURIComponent).join("/")}`,
          query: { comp: "listhandles" },
        },
        /<HandleId>(\d+)</g,
      );
      assert.deepEqual(listed.entries.sort(), opens.sort());
      assert.equal(listed.pages, 2);
    });

    test("entities, whose text is longer in JSON than in the store", async () => {
      await put("table", "/Tables", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: Buffer.from(`{"TableName":"long"}`),
      });
      const keys = numbered(12);
      const text = "\u0001".repeat(32_000);
      for (const key of keys) {
        const entity = { PartitionKey: "p", RowKey: key, A: text, B: text, C: text, D: text, E: text };
        await put("table", "/long", {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "application/json;odata=nometadata" },
          body: Buffer.from(JSON.stringify(entity)),
        });
      }
      const found: string[] = [];
      let pages = 0;
      let next: Record<string, string> | undefined = {};
      while (next !== undefined) {
        const reply = await ask("table", { path: "/long()", query: next });
        assert.equal(reply.status, 200, reply.body.slice(0, 300));
        // One entity may be a whole MiB in the store, and six times as much in JSON.
        assert.ok(reply.body.length <= LIMITS.listPageBytesMax + MIB);
        for (const { RowKey } of JSON.parse(reply.body).value) found.push(RowKey);
        const partition = reply.headers["x-ms-continuation-nextpartitionkey"] as string | undefined;
        const row = reply.headers["x-ms-continuation-nextrowkey"] as string | undefined;
        next = partition === undefined ? undefined : { NextPartitionKey: partition, NextRowKey: row! };
        pages++;
      }
      assert.deepEqual(found, keys);
      assert.equal(pages, 3);
    });

    test("tables, whose addresses repeat a long host name", async () => {
      const names = numbered(500);
      await forEach(names, (name) =>
        put("table", "/Tables", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: Buffer.from(`{"TableName":"${name}"}`),
        }),
      );
      const found: string[] = [];
      let pages = 0;
      let next: Record<string, string> | undefined = { $filter: "TableName ge 'n0' and TableName lt 'n1'" };
      while (next !== undefined) {
        const headers = { Host: "h".repeat(12_000), Accept: "application/json;odata=fullmetadata" };
        const reply = await ask("table", { path: "/Tables", query: next, headers });
        assert.equal(reply.status, 200, reply.body.slice(0, 300));
        assert.ok(reply.body.length <= PAGE_BYTES_MAX, `a page of ${reply.body.length} bytes`);
        for (const { TableName } of JSON.parse(reply.body).value) found.push(TableName);
        const name = reply.headers["x-ms-continuation-nexttablename"] as string | undefined;
        next = name === undefined ? undefined : { ...next, NextTableName: name };
        pages++;
      }
      assert.deepEqual(found, names);
      assert.equal(pages, 2);
    });

    test("a long list of blocks is given whole", async () => {
      await put("blob", "/blocks", { query: { restype: "container" } });
      const id = Buffer.alloc(64, "i").toString("base64");
      const count = BLOB_LIMITS.committedBlocksMax;
      await put("blob", "/blocks/long", { query: { comp: "block", blockid: id }, body: Buffer.from("x") });
      await put("blob", "/blocks/long", {
        query: { comp: "blocklist" },
        body: Buffer.from(`<BlockList>${`<Latest>${id}</Latest>`.repeat(count)}</BlockList>`),
      });
      const { status, body, headers } = await ask("blob", {
        path: "/blocks/long",
        query: { comp: "blocklist", blocklisttype: "all" },
      });
      assert.equal(status, 200);
      assert.equal(Number(headers["content-length"]), Buffer.byteLength(body));
      assert.ok(body.length > LIMITS.listPageBytesMax);
      const blocks = `<Block><Name>${id}</Name><Size>1</Size></Block>`.repeat(count);
      const lists = `<CommittedBlocks>${blocks}</CommittedBlocks><UncommittedBlocks />`;
      assert.ok(body.endsWith(`?><BlockList>${lists}</BlockList>`));
    });

    const skip = engine === ENGINES[0] ? false : "the same on every engine, and long to prepare";

    /** The reply as its handler makes it, to be read step by step. */
    async function streamOf(
      service: "blob" | "file",
      row: { readonly handle: (request: HttpRequest, services: never) => unknown },
      { path, comp, version }: { readonly path: string; readonly comp: string; readonly version: string },
    ): Promise<AsyncGenerator<Buffer>> {
      const { account } = server;
      const rawPath = `/${account}/${path}`;
      const request: HttpRequest = {
        id: "1",
        client: { hasLeft: false, onLeave: undefined },
        method: "GET",
        target: { service, account, isSecondary: false, isPathStyle: true, rawPath, path },
        query: readQuery(`comp=${comp}`),
        headers: {},
        rawHeaders: [],
        body: { length: 0, stream: unread, read: unread },
        isSecure: false,
        remoteAddress: "",
        receivedAt: server.clock.now(),
        version,
        caller: { kind: "anonymous", account },
      };
      const { parts } = server.runtime;
      const services = { blobs: blobContext(parts), files: new FileService(parts) };
      const reply = (await row.handle(request, services as never)) as HttpReply;
      return reply.body as AsyncGenerator<Buffer>;
    }

    test("a long list of page ranges is given whole to a client that knows no pages", {
      skip,
    }, async () => {
      await put("blob", "/pages", { query: { restype: "container" } });
      const count = BLOB_LIMITS.pageRangesMax + 50;
      const { pageBytes } = BLOB_LIMITS;
      const size = 2 * count * pageBytes;
      const headers = { "x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": String(size) };
      await put("blob", "/pages/disk", { headers });
      const blobs = blobContext(server.runtime.parts);
      const page = Buffer.alloc(pageBytes, 7);
      const ref = { account: server.account, container: "pages", blob: "disk" };
      await forEach(numbered(count), (name) =>
        putPage(
          blobs,
          {
            ref,
            conditions: {},
            leaseId: undefined,
            span: { start: Number(name.slice(1)) * 2 * pageBytes, length: pageBytes },
            sequence: {},
            encryption: {},
          } as Parameters<typeof putPage>[1],
          page,
        ),
      );
      const { status, body } = await ask("blob", {
        path: "/pages/disk",
        query: { comp: "pagelist" },
        headers: { "x-ms-version": "2019-12-12" },
      });
      assert.equal(status, 200);
      let expected = "";
      for (let start = 0; start < size; start += 2 * pageBytes)
        expected += `<PageRange><Start>${start}</Start><End>${start + pageBytes - 1}</End></PageRange>`;
      assert.ok(body.endsWith(`?><PageList>${expected}</PageList>`));

      const wanted = { path: "pages/disk", comp: "pagelist", version: "2019-12-12" };
      const getPageRanges = BLOB_OPERATIONS.operations.find(({ name }) => name === "GetPageRanges")!;
      const stream = await streamOf("blob", getPageRanges, wanted);
      assert.match(String((await stream.next()).value), /<PageList><PageRange>/);
      await put("blob", "/pages/disk", { query: { comp: "metadata" }, headers: { "x-ms-meta-a": "1" } });
      await assert.rejects(stream.next(), "the list of one state does not go on with another");
    });

    test("a long list of the ranges of a file is given whole", { skip }, async () => {
      await put("file", "/ranges", { query: { restype: "share" } });
      const count = FILE_LIMITS.rangesPerStep + 50;
      const headers = { "x-ms-type": "file", "x-ms-content-length": String(2 * count * 8_192) };
      await put("file", "/ranges/file", { headers });
      const files = new FileService(server.runtime.parts);
      const ref = { account: server.account, share: "ranges", path: ["file"] };
      await forEach(numbered(count), async (name) => {
        const from = Number(name.slice(1)) * 2 * 8_192;
        const bytes = await ingest(files.parts.payloads, Buffer.alloc(16, 7), 16);
        await putRange(files, { ref, leaseId: undefined, from, to: from + 16, bytes });
      });
      const { status, body } = await ask("file", { path: "/ranges/file", query: { comp: "rangelist" } });
      assert.equal(status, 200);
      let expected = "";
      for (let number = 0; number < count; number++) {
        const from = number * 2 * 8_192;
        expected += `<Range><Start>${from}</Start><End>${from + 15}</End></Range>`;
      }
      assert.ok(body.endsWith(`?><Ranges>${expected}</Ranges>`));

      const wanted = { path: "ranges/file", comp: "rangelist", version: "2025-01-05" };
      const listRanges = FILE_OPERATIONS.operations.find(({ name }) => name === "ListRanges")!;
      const stream = await streamOf("file", listRanges, wanted);
      assert.match(String((await stream.next()).value), /<Ranges><Range>/);
      const bytes = await ingest(files.parts.payloads, Buffer.alloc(16, 8), 16);
      await putRange(files, { ref, leaseId: undefined, from: 0, to: 16, bytes });
      await assert.rejects(stream.next(), /changed while its ranges were listed/);
    });
  });
}
