import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachEngine } from "../kit/blob.ts";

const VERSION = { "x-ms-version": "2026-10-06" };
const BLOCK = { "x-ms-blob-type": "BlockBlob" };

/** What versions after 2025-01-05 brought and the SDK of the tests does not send yet. */
onEachEngine("newer versions of the protocol", (kit) => {
  const put = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
    const reply = await kit.raw({ method: "PUT", path, headers: { ...BLOCK, ...headers }, body: "x" });
    assert.equal(reply.status, 201);
    return String(reply.headers.etag);
  };
  const later = (millis: number): string => new Date(kit.server.clock.now() + millis).toUTCString();

  test("tags are read and set only if the blob is the one that is meant", async () => {
    const path = `/${(await kit.container()).containerName}/tagged`;
    const etag = await put(path, { "x-ms-tags": "k=old" });
    const ask = async (method: string, headers: Record<string, string>): Promise<string> => {
      const body = "<Tags><TagSet><Tag><Key>k</Key><Value>new</Value></Tag></TagSet></Tags>";
      const given = { method, path, query: { comp: "tags" }, headers: { ...VERSION, ...headers } };
      const { status, code } = await kit.raw(method === "PUT" ? { ...given, body } : given);
      return code === undefined ? String(status) : `${status} ${code}`;
    };
    const refusing = [
      { "x-ms-blob-if-match": '"0x1"' },
      { "x-ms-blob-if-none-match": etag },
      { "x-ms-blob-if-modified-since": later(60_000) },
      { "x-ms-blob-if-unmodified-since": later(-60_000) },
      { "x-ms-blob-if-match": etag, "x-ms-if-tags": "k='other'" },
    ];
    for (const headers of refusing as Record<string, string>[]) {
      for (const method of ["GET", "PUT"]) {
        assert.equal(await ask(method, headers), "412 ConditionNotMet", JSON.stringify(headers));
      }
    }
    assert.equal(
      await ask("PUT", { "x-ms-blob-if-match": etag, "x-ms-blob-if-none-match": '"0x1"' }),
      "400 MultipleConditionHeadersNotSupported",
    );
    assert.equal(await ask("PUT", { "if-match": etag }), "400 ConditionHeadersNotSupported");
    assert.match((await kit.raw({ path, query: { comp: "tags" } })).text, /<Value>old</);
    assert.equal(await ask("PUT", { "x-ms-blob-if-match": etag, "x-ms-if-tags": "k='old'" }), "204");
    assert.equal(await ask("GET", { "x-ms-blob-if-unmodified-since": later(0) }), "200");
    assert.match((await kit.raw({ path, query: { comp: "tags" } })).text, /<Value>new</);
  });

  test("a blob is deleted only if its tier was, or was not, changed since", async () => {
    const path = `/${(await kit.container()).containerName}/tiered`;
    await put(path);
    const remove = async (headers: Record<string, string>): Promise<string> => {
      const { status, code } = await kit.raw({ method: "DELETE", path, headers: { ...VERSION, ...headers } });
      return code === undefined ? String(status) : `${status} ${code}`;
    };
    const before = later(0);
    kit.server.clock.advance(10_000);
    const tier = { "x-ms-access-tier": "Cool" };
    assert.equal(
      (await kit.raw({ method: "PUT", path, query: { comp: "tier" }, headers: tier })).status,
      200,
    );
    const unmodified = { "x-ms-access-tier-if-unmodified-since": before };
    assert.equal(await remove(unmodified), "412 ConditionNotMet");
    assert.equal(await remove({ "x-ms-access-tier-if-modified-since": later(5_000) }), "412 ConditionNotMet");
    assert.equal(await remove({ "x-ms-access-tier-if-modified-since": "soon" }), "400 InvalidHeaderValue");
    assert.equal(await remove({ "x-ms-access-tier-if-modified-since": before }), "202");
    await put(path);
    assert.equal(await remove({ "x-ms-access-tier-if-unmodified-since": later(1_000) }), "202");
  });

  test("a listing begins and ends where the request says", async () => {
    const container = (await kit.container()).containerName;
    for (const name of ["a", "b", "b/1", "b/2", "c", "d"]) await put(`/${container}/${name}`);
    const list = async (query: Record<string, string>): Promise<string> => {
      const given = { restype: "container", comp: "list", ...query };
      const { text } = await kit.raw({ path: `/${container}`, query: given, headers: VERSION });
      return [...text.matchAll(/<Name>(.*?)<\/Name>/g)].map(([, name]) => name).join(" ");
    };
    assert.equal(await list({ startFrom: "b" }), "b b/1 b/2 c d");
    assert.equal(await list({ startFrom: "b0" }), "c d");
    assert.equal(await list({ startFrom: "b", endBefore: "c" }), "b b/1 b/2");
    assert.equal(await list({ startFrom: "b/2", delimiter: "/" }), "b/ c d");
    assert.equal(await list({ prefix: "b", startFrom: "a" }), "b b/1 b/2");
    assert.equal(await list({ endBefore: "b/2", prefix: "b/" }), "b/1");
    assert.equal(await list({ startFrom: "b", include: "snapshots,versions", maxresults: "2" }), "b b/1");
  });

  test("the tier Smart is accepted, and downloads report the tier", async () => {
    const path = `/${(await kit.container()).containerName}/smart`;
    await put(path);
    const headers = { ...VERSION, "x-ms-access-tier": "smart" };
    assert.equal((await kit.raw({ method: "PUT", path, query: { comp: "tier" }, headers })).status, 200);
    const { headers: downloaded } = await kit.raw({ path, headers: VERSION });
    assert.deepEqual(
      [downloaded["x-ms-access-tier"], downloaded["x-ms-smart-access-tier"]],
      ["Smart", "Hot"],
    );
    assert.equal((await kit.raw({ path })).headers["x-ms-access-tier"], undefined);
  });
});
