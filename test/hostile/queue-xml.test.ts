import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { monotonic } from "../../src/base/clock.ts";
import { sendRaw } from "../kit/raw-request.ts";
import { startTestServer, type TestServer } from "../kit/server.ts";

/** Bodies made to hurt: each is refused by its code or kept as text, soon, and the server goes on. */
const message = (text: string): string => `<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`;

const REFUSED: readonly (readonly [what: string, body: string | Buffer])[] = [
  ["an external entity", `<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]>${message("&x;")}`],
  [
    "entities that multiply",
    `<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>${message("&b;")}`,
  ],
  ["a document type alone", `<!DOCTYPE QueueMessage>${message("x")}`],
  ["a processing instruction", `<?xml-stylesheet href="http://example.org/"?>${message("x")}`],
  ["an entity nobody defined", message("&nbsp;")],
  ["a reference to a control character", message("&#0;")],
  ["a control character", message("\u0001")],
  ["half a surrogate pair", message("&#xD800;")],
  ["broken UTF-8", Buffer.concat([Buffer.from("<QueueMessage><MessageText>"), Buffer.from([0xc0, 0x80])])],
  ["UTF-16", Buffer.from(message("x"), "utf16le")],
  ["another encoding", `<?xml version="1.0" encoding="iso-8859-1"?>${message("x")}`],
  ["another root", "<Message><MessageText>x</MessageText></Message>"],
  ["no text", "<QueueMessage/>"],
  ["two texts", "<QueueMessage><MessageText>x</MessageText><MessageText>y</MessageText></QueueMessage>"],
  ["an element too deep", message("<a>".repeat(100) + "</a>".repeat(100))],
  ["ten thousand elements never closed", "<QueueMessage>".repeat(10_000)],
  ["an element that is not closed", "<QueueMessage><MessageText>x"],
  ["more after the end", `${message("x")}${message("y")}`],
  ["a CDATA section without end", "<QueueMessage><MessageText><![CDATA[x</MessageText></QueueMessage>"],
  ["the same attribute twice", '<QueueMessage a="1" a="2"><MessageText>x</MessageText></QueueMessage>'],
  ["JSON", '{"QueueMessage":{"MessageText":"x"}}'],
  ["a lone BOM", "\ufeff"],
  ["400 KB of ampersands", message("&".repeat(400_000))],
];

suite("hostile message bodies", () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    await sendRaw(server, "queue", { method: "PUT", path: "/hostile" });
  });
  after(() => server.close());

  for (const [what, body] of REFUSED) {
    test(`refuses ${what}`, async () => {
      const startedAt = monotonic();
      const reply = await sendRaw(server, "queue", { method: "POST", path: "/hostile/messages", body });
      assert.equal(reply.status, 400, reply.body);
      assert.equal(reply.code, "InvalidXmlDocument");
      assert.ok(monotonic() - startedAt < 2_000);
      const peeked = await sendRaw(server, "queue", {
        method: "GET",
        path: "/hostile/messages",
        query: { peekonly: "true" },
      });
      assert.ok(peeked.body.endsWith("<QueueMessagesList />"), "nothing of it was kept");
    });
  }

  test("takes a message of 64 KiB in which every byte is a reference", async () => {
    const body = message("&quot;".repeat(64 * 1_024));
    const put = await sendRaw(server, "queue", { method: "POST", path: "/hostile/messages", body });
    assert.equal(put.status, 201, put.body);
    assert.equal(
      (await sendRaw(server, "queue", { method: "DELETE", path: "/hostile/messages" })).status,
      204,
    );
  });

  test("refuses an element it does not know", async () => {
    const body = "<QueueMessage><MessageText>x</MessageText><Priority>1</Priority></QueueMessage>";
    const reply = await sendRaw(server, "queue", { method: "POST", path: "/hostile/messages", body });
    assert.deepEqual([reply.status, reply.code], [400, "UnsupportedXmlNode"]);
  });

  test("the same bodies are refused by Update Message, and the message stays as it was", async () => {
    const put = await sendRaw(server, "queue", {
      method: "POST",
      path: "/hostile/messages",
      body: message("kept"),
    });
    const path = `/hostile/messages/${put.element("MessageId")}`;
    const query = { popreceipt: put.element("PopReceipt")!, visibilitytimeout: "0" };
    for (const [what, body] of REFUSED) {
      const reply = await sendRaw(server, "queue", { method: "PUT", path, query, body });
      assert.equal(reply.code, "InvalidXmlDocument", what);
    }
    const peeked = await sendRaw(server, "queue", {
      method: "GET",
      path: "/hostile/messages",
      query: { peekonly: "true" },
    });
    assert.equal(peeked.element("MessageText"), "kept");
    const removed = await sendRaw(server, "queue", {
      method: "DELETE",
      path,
      query: { popreceipt: query.popreceipt },
    });
    assert.equal(removed.status, 204, "none of them made the receipt worthless");
  });

  test("ids, receipts and names of any shape are refused by their codes", async () => {
    const strange = ["..%2F..", "%00", "a".repeat(2_000), "'%20OR%201=1", "%F0%9F%98%80", "{}"];
    for (const id of strange) {
      const reply = await sendRaw(server, "queue", {
        method: "DELETE",
        path: `/hostile/messages/${id}`,
        query: { popreceipt: id },
      });
      assert.ok(reply.status === 400 || reply.status === 404, `${id}: ${reply.status}`);
      const named = await sendRaw(server, "queue", { method: "PUT", path: `/${id}` });
      assert.ok(named.status === 400 || named.status === 404, `${id}: ${named.status}`);
    }
  });
});
