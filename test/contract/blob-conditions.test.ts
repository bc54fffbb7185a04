import assert from "node:assert/strict";
import { test } from "node:test";
import { type BlobKit, onEachEngine } from "../kit/blob.ts";
import type { RawReply, RawRequest } from "../kit/raw.ts";

interface Subject {
  readonly path: string;
  readonly etag: string;
  readonly modified: string;
  readonly earlier: string;
}

async function subject(kit: BlobKit): Promise<Subject> {
  const container = await kit.container();
  const path = `/${container.containerName}/blob`;
  const put = await kit.raw({
    method: "PUT",
    path,
    headers: { "x-ms-blob-type": "BlockBlob", "x-ms-tags": "colour=blue" },
    body: "text",
  });
  const modified = put.headers["last-modified"]!;
  return {
    path,
    etag: put.headers.etag!,
    modified,
    earlier: new Date(Date.parse(modified) - 1_000).toUTCString(),
  };
}

const HEADERS = [
  "If-Match",
  "If-None-Match",
  "If-Modified-Since",
  "If-Unmodified-Since",
  "x-ms-if-tags",
] as const;
type HeaderName = (typeof HEADERS)[number];

function holding(name: HeaderName, { etag, modified, earlier }: Subject): string {
  return {
    "If-Match": etag,
    "If-None-Match": '"0x1"',
    "If-Modified-Since": earlier,
    "If-Unmodified-Since": modified,
    "x-ms-if-tags": "colour = 'blue'",
  }[name];
}

function failing(name: HeaderName, { etag, modified, earlier }: Subject): string {
  return {
    "If-Match": '"0x1"',
    "If-None-Match": etag,
    "If-Modified-Since": modified,
    "If-Unmodified-Since": earlier,
    "x-ms-if-tags": "colour = 'red'",
  }[name];
}

/** Which headers each operation takes: Y, or - where a write refuses it and a read does not look. */
const MATRIX: Readonly<
  Record<string, { readonly takes: string; readonly request: (s: Subject) => RawRequest }>
> = {
  "Get Blob": { takes: "YYYYY", request: () => ({}) },
  "Get Properties": { takes: "YYYYY", request: () => ({ method: "HEAD" }) },
  "Get Metadata": { takes: "YYYYY", request: () => ({ query: { comp: "metadata" } }) },
  "Get Block List": { takes: "----Y", request: () => ({ query: { comp: "blocklist" } }) },
  "Get Tags": { takes: "----Y", request: () => ({ query: { comp: "tags" } }) },
  "Put Blob": {
    takes: "YYYYY",
    request: () => ({
      method: "PUT",
      headers: { "x-ms-blob-type": "BlockBlob", "x-ms-tags": "colour=blue" },
      body: "x",
    }),
  },
  "Put Block": {
    takes: "-----",
    request: () => ({ method: "PUT", query: { comp: "block", blockid: "AAAA" }, body: "x" }),
  },
  "Put Block List": {
    takes: "YYYYY",
    request: () => ({ method: "PUT", query: { comp: "blocklist" }, body: "<BlockList/>" }),
  },
  "Set Metadata": { takes: "YYYYY", request: () => ({ method: "PUT", query: { comp: "metadata" } }) },
  "Set Properties": { takes: "YYYYY", request: () => ({ method: "PUT", query: { comp: "properties" } }) },
  "Set Tags": {
    takes: "----Y",
    request: () => ({ method: "PUT", query: { comp: "tags" }, body: "<Tags><TagSet/></Tags>" }),
  },
  "Set Tier": {
    takes: "----Y",
    request: () => ({ method: "PUT", query: { comp: "tier" }, headers: { "x-ms-access-tier": "Cool" } }),
  },
  "Set Expiry": {
    takes: "-----",
    request: () => ({
      method: "PUT",
      query: { comp: "expiry" },
      headers: { "x-ms-expiry-option": "NeverExpire" },
    }),
  },
  "Snapshot Blob": { takes: "YYYYY", request: () => ({ method: "PUT", query: { comp: "snapshot" } }) },
  "Lease Blob": {
    takes: "YYYYY",
    request: () => ({
      method: "PUT",
      query: { comp: "lease" },
      headers: { "x-ms-lease-action": "acquire", "x-ms-lease-duration": "15" },
    }),
  },
  "Delete Blob": { takes: "YYYYY", request: () => ({ method: "DELETE" }) },
};

const READS = new Set(["Get Blob", "Get Properties", "Get Metadata", "Get Block List", "Get Tags"]);

onEachEngine("conditional headers", (kit) => {
  const send = (s: Subject, request: RawRequest, headers: Record<string, string>): Promise<RawReply> =>
    kit.raw({ path: s.path, ...request, headers: { ...request.headers, ...headers } });

  for (const [operation, { takes, request }] of Object.entries(MATRIX)) {
    test(`${operation}: each condition alone, holding and failing`, async () => {
      for (const [i, name] of HEADERS.entries()) {
        const isRead = READS.has(operation);
        const one = await subject(kit);
        const kept = await send(one, request(one), { [name]: holding(name, one) });
        if (takes[i] === "-") {
          // A condition that is not taken: overlooked by a read, refused by a write, which then changes
          // nothing.
          if (isRead) assert.ok(kept.status < 300, `${name}: ${kept.code}`);
          else assert.deepEqual([kept.status, kept.code], [400, "ConditionHeadersNotSupported"], name);
          continue;
        }
        assert.ok(kept.status < 300, `${name} holding: ${kept.status} ${kept.code}`);
        const two = await subject(kit);
        const refused = await send(two, request(two), { [name]: failing(name, two) });
        const isNews = isRead && (name === "If-None-Match" || name === "If-Modified-Since");
        assert.deepEqual(
          [refused.status, refused.code],
          [isNews ? 304 : 412, "ConditionNotMet"],
          `${name} failing`,
        );
        if (isNews) assert.equal(refused.body.length, 0);
        const now = await kit.raw({ method: "HEAD", path: two.path });
        assert.deepEqual([now.status, now.headers.etag], [200, two.etag], `${name} failing left a change`);
      }
    });
  }

  test("any combination on a read", async () => {
    const s = await subject(kit);
    const read = async (headers: Record<string, string>) => (await kit.raw({ path: s.path, headers })).status;
    const news = (none: boolean, modified: boolean) => ({
      "If-None-Match": none ? '"0x1"' : s.etag,
      "If-Modified-Since": modified ? s.earlier : s.modified,
    });
    assert.equal(await read(news(true, false)), 200);
    assert.equal(await read(news(false, true)), 200);
    assert.equal(await read(news(false, false)), 304);
    assert.equal(await read({ ...news(false, false), "If-Match": '"0x1"' }), 412);
    assert.equal(
      await read({ ...news(true, true), "If-Match": s.etag, "If-Unmodified-Since": s.earlier }),
      412,
    );
    assert.equal(
      await read({ ...news(true, true), "If-Match": s.etag, "If-Unmodified-Since": s.modified }),
      200,
    );
    assert.equal(await read({ "If-Match": `"0x1", ${s.etag}` }), 200);
    assert.equal(await read({ "If-None-Match": `"0x1", ${s.etag}` }), 304);
    assert.equal(await read({ "If-Match": s.etag.replaceAll('"', "") }), 200);
    const star = await kit.raw({ path: s.path, headers: { "If-None-Match": "*" } });
    assert.deepEqual([star.status, star.code], [400, "UnsatisfiableCondition"]);
    assert.equal(await read({ "If-Match": "*" }), 200);
  });

  test("combinations on a write: two pairs, and no others", async () => {
    const pairs: readonly (readonly [HeaderName, HeaderName, boolean])[] = [
      ["If-None-Match", "If-Modified-Since", true],
      ["If-Match", "If-Unmodified-Since", true],
      ["If-Match", "If-None-Match", false],
      ["If-Match", "If-Modified-Since", false],
      ["If-None-Match", "If-Unmodified-Since", false],
      ["If-Modified-Since", "If-Unmodified-Since", false],
    ];
    for (const [one, two, isAccepted] of pairs) {
      const s = await subject(kit);
      const request: RawRequest = { method: "PUT", query: { comp: "metadata" } };
      const headers = { [one]: holding(one, s), [two]: failing(two, s) };
      const reply = await send(s, request, headers);
      if (isAccepted) assert.equal(reply.status, 200, `${one} + ${two}`);
      else
        assert.deepEqual(
          [reply.status, reply.code],
          [400, "MultipleConditionHeadersNotSupported"],
          `${one} + ${two}`,
        );
    }
    const s = await subject(kit);
    const list = await send(
      s,
      { method: "PUT", query: { comp: "metadata" } },
      { "If-Match": `"0x1", ${s.etag}` },
    );
    assert.equal(list.code, "MultipleConditionHeadersNotSupported");
    const tags = await send(
      s,
      { method: "PUT", query: { comp: "metadata" } },
      { "If-Match": s.etag, "x-ms-if-tags": "colour = 'red'" },
    );
    assert.equal(tags.status, 412);
  });

  test("creating with conditions, where nothing is and where something is", async () => {
    const s = await subject(kit);
    const absent = `${s.path}-absent`;
    const put = (path: string, headers: Record<string, string>) =>
      kit.raw({ method: "PUT", path, headers: { "x-ms-blob-type": "BlockBlob", ...headers }, body: "x" });
    const list = (path: string, headers: Record<string, string>) =>
      kit.raw({ method: "PUT", path, query: { comp: "blocklist" }, headers, body: "<BlockList/>" });
    for (const create of [put, list]) {
      for (const headers of [{ "If-Match": "*" }, { "If-Match": s.etag }, { "x-ms-if-tags": "a = 'b'" }]) {
        const reply = await create(absent, headers as Record<string, string>);
        assert.deepEqual([reply.status, reply.code], [412, "ConditionNotMet"], JSON.stringify(headers));
      }
      for (const headers of [
        { "If-None-Match": "*" },
        { "If-None-Match": s.etag },
        { "If-Modified-Since": s.modified },
        { "If-Unmodified-Since": s.earlier },
      ]) {
        assert.equal((await create(absent, headers as Record<string, string>)).status, 201);
        await kit.raw({ method: "DELETE", path: absent });
      }
      const there = await create(s.path, { "If-None-Match": "*" });
      assert.deepEqual([there.status, there.code], [409, "BlobAlreadyExists"]);
    }
    const change = await kit.raw({
      method: "PUT",
      path: s.path,
      query: { comp: "metadata" },
      headers: { "If-None-Match": "*" },
    });
    assert.deepEqual([change.status, change.code], [412, "ConditionNotMet"]);
    // Blocks alone are not a blob: If-Match: * does not find one.
    await kit.raw({ method: "PUT", path: absent, query: { comp: "block", blockid: "AAAA" }, body: "x" });
    assert.equal((await put(absent, { "If-Match": "*" })).status, 412);
    assert.equal((await put(absent, { "If-None-Match": "*" })).status, 201);
    const leased = await subject(kit);
    await kit.raw({
      method: "PUT",
      path: leased.path,
      query: { comp: "lease" },
      headers: { "x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1" },
    });
    assert.equal((await put(leased.path, { "If-None-Match": "*" })).code, "LeaseIdMissing");
  });

  test("conditions that cannot be read are refused", async () => {
    const s = await subject(kit);
    for (const [name, value] of [
      ["If-Match", '"unclosed'],
      ["If-None-Match", '"a" "b"'],
      ["If-Modified-Since", "yesterday"],
      ["If-Unmodified-Since", "2026-01-01"],
      ["x-ms-if-tags", "colour == 'blue'"],
    ] as const) {
      for (const request of [{}, { method: "PUT", query: { comp: "metadata" } }]) {
        const reply = await send(s, request, { [name]: value });
        assert.deepEqual([reply.status, reply.code], [400, "InvalidHeaderValue"], name);
      }
    }
  });
});
