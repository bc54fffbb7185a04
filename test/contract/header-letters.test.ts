import assert from "node:assert/strict";
import { test } from "node:test";
import { signedHeaders } from "../../bench/sign.ts";
import { type RawRequest, send } from "../kit/send.ts";
import { startTestServer } from "../kit/server.ts";

/**
 * Header values that are not ASCII. As on Azure, a byte is a letter of Latin-1: Node.js and Python send it so
 * and sign the letters as UTF-8. Clients that send UTF-8 as it is (Go) sign other letters than those that
 * arrive.
 */
test("letters of Latin-1 in headers: signatures over them hold, metadata does not take them", async () => {
  const server = await startTestServer({});
  try {
    const put = (headers: Record<string, string>, path = "/names/blob"): RawRequest => ({
      service: "blob",
      method: "PUT",
      path,
      headers: { "x-ms-blob-type": "BlockBlob", ...headers },
      body: Buffer.from("x"),
    });
    const create = {
      service: "blob",
      method: "PUT",
      path: "/names",
      query: { restype: "container" },
    } as const;
    assert.equal((await send(server, create)).status, 201);

    const latin = "attachment; filename=résumé";
    const disposition = await send(server, put({ "x-ms-blob-content-disposition": latin }));
    assert.equal(disposition.status, 201);
    const read = await send(server, { service: "blob", method: "HEAD", path: "/names/blob" });
    assert.equal(read.headers["content-disposition"], latin);

    const metadata = await send(server, put({ "x-ms-meta-name": "résumé" }));
    assert.deepEqual([metadata.status, metadata.code], [400, "InvalidMetadata"]);

    const asSigned = put({ "x-ms-meta-name": "résumé" });
    const asSent = { ...signedHeaders(asSigned), "x-ms-meta-name": Buffer.from("résumé").toString("latin1") };
    const raw = await send(server, { ...asSigned, headers: asSent, isAnonymous: true });
    assert.deepEqual([raw.status, raw.code], [403, "AuthenticationFailed"]);
  } finally {
    await server.close();
  }
});
