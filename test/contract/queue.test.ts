import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { QueueServiceClient, StorageSharedKeyCredential } from "@azure/storage-queue";
import { codeOf, queuesClient, refusedWith } from "../kit/queues.ts";
import { sendRaw } from "../kit/raw-request.ts";
import { ENGINES, startTestServer, type TestServer } from "../kit/server.ts";

const BOM = "\ufeff";

for (const engine of ENGINES) {
  suite(`queues over HTTP on ${engine}`, () => {
    let server: TestServer;
    let service: QueueServiceClient;
    let names = 0;
    before(async () => {
      server = await startTestServer({ engine });
      service = QueueServiceClient.fromConnectionString(server.connectionString);
    });
    after(() => server.close());
    const fresh = () => service.getQueueClient(`queue-${++names}`);

    test("create: 201, 204 when it is there with the same metadata, 409 when they differ", async () => {
      const queue = fresh();
      assert.equal((await queue.create({ metadata: { owner: "a" } }))._response.status, 201);
      assert.equal((await queue.create({ metadata: { owner: "a" } }))._response.status, 204);
      assert.equal((await queue.create({ metadata: { OWNER: "a" } }))._response.status, 204);
      await assert.rejects(queue.create({ metadata: { owner: "b" } }), refusedWith("QueueAlreadyExists"));
      await assert.rejects(queue.create(), refusedWith("QueueAlreadyExists"));
      assert.equal((await queue.createIfNotExists({ metadata: { owner: "b" } })).succeeded, false);
      assert.deepEqual((await queue.getProperties()).metadata, { owner: "a" });
    });

    test("delete: 204, then it is not there, and can be made again at once", async () => {
      const queue = fresh();
      await queue.create();
      await queue.sendMessage("old");
      assert.equal((await queue.delete())._response.status, 204);
      await assert.rejects(queue.delete(), refusedWith("QueueNotFound"));
      assert.equal((await queue.deleteIfExists()).succeeded, false);
      assert.equal(await queue.exists(), false);
      assert.equal((await queue.create())._response.status, 201);
      assert.equal((await queue.receiveMessages()).receivedMessageItems.length, 0);
    });

    test("metadata: set replaces all of it, and the last writer wins", async () => {
      const queue = fresh();
      await queue.create({ metadata: { One: "1", two: "2" } });
      assert.deepEqual((await queue.getProperties()).metadata, { one: "1", two: "2" });
      const head = await sendRaw(server, "queue", {
        method: "HEAD",
        path: `/${queue.name}`,
        query: { comp: "metadata" },
      });
      assert.equal(head.status, 200);
      assert.equal(head.headers["x-ms-meta-one"], "1");
      assert.equal(head.headers["x-ms-approximate-messages-count"], "0");
      assert.equal((await queue.setMetadata({ three: "3" }))._response.status, 204);
      await queue.setMetadata({ four: "4" });
      assert.deepEqual((await queue.getProperties()).metadata, { four: "4" });
      await queue.setMetadata();
      assert.deepEqual((await queue.getProperties()).metadata, {});
      await assert.rejects(fresh().setMetadata({}), refusedWith("QueueNotFound"));
      await assert.rejects(fresh().getProperties(), refusedWith("QueueNotFound"));
    });

    test("access policies: set, get, replace, and no more than five", async () => {
      const queue = fresh();
      await queue.create();
      assert.deepEqual((await queue.getAccessPolicy()).signedIdentifiers, []);
      const startsOn = new Date("2026-01-01T00:00:00Z");
      const expiresOn = new Date("2030-01-01T00:00:00Z");
      await queue.setAccessPolicy([
        { id: "full", accessPolicy: { startsOn, expiresOn, permissions: "raup" } },
        { id: "bare", accessPolicy: { permissions: "" } },
      ]);
      const { signedIdentifiers } = await queue.getAccessPolicy();
      assert.deepEqual(signedIdentifiers[0], {
        id: "full",
        accessPolicy: { startsOn, expiresOn, permissions: "raup" },
      });
      assert.equal(signedIdentifiers[1]?.id, "bare");
      const six = Array.from({ length: 6 }, (_, i) => ({
        id: `p${i}`,
        accessPolicy: { permissions: "r", expiresOn },
      }));
      await assert.rejects(queue.setAccessPolicy(six), refusedWith("InvalidXmlDocument"));
      await queue.setAccessPolicy([]);
      assert.deepEqual((await queue.getAccessPolicy()).signedIdentifiers, []);
      const head = await sendRaw(server, "queue", {
        method: "HEAD",
        path: `/${queue.name}`,
        query: { comp: "acl" },
      });
      assert.deepEqual([head.status, head.body], [200, ""]);
      await assert.rejects(fresh().getAccessPolicy(), refusedWith("QueueNotFound"));
      await assert.rejects(fresh().setAccessPolicy([]), refusedWith("QueueNotFound"));
    });

    test("list: by prefix, in order, page by page, with metadata when asked", async () => {
      for (const name of ["list-c", "list-a", "list-b", "list-aa", "lisu"]) {
        await service.createQueue(name, { metadata: { name } });
      }
      const found: string[] = [];
      for await (const page of service.listQueues({ prefix: "list-" }).byPage({ maxPageSize: 3 })) {
        assert.ok((page.queueItems?.length ?? 0) <= 3);
        for (const item of page.queueItems ?? []) {
          assert.equal(item.metadata, undefined);
          found.push(item.name);
        }
      }
      assert.deepEqual(found, ["list-a", "list-aa", "list-b", "list-c"]);
      for await (const item of service.listQueues({ prefix: "list-a", includeMetadata: true })) {
        assert.deepEqual(item.metadata, { name: item.name });
      }
      const first = await sendRaw(server, "queue", {
        method: "GET",
        path: "/",
        query: { comp: "list", prefix: "list", maxresults: "1", include: "metadata" },
      });
      const endpoint = `${server.endpoints.queue}/${server.account}/`;
      assert.equal(
        first.body,
        `${BOM}<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="${endpoint}">` +
          "<Prefix>list</Prefix><MaxResults>1</MaxResults><Queues><Queue><Name>list-a</Name>" +
          "<Metadata><name>list-a</name></Metadata></Queue></Queues>" +
          `<NextMarker>/${server.account}/list-aa</NextMarker></EnumerationResults>`,
      );
      const last = await sendRaw(server, "queue", {
        method: "GET",
        path: "/",
        query: { comp: "list", marker: `/${server.account}/lisu`, prefix: "lis" },
      });
      assert.match(last.body, /<Queues><Queue><Name>lisu<\/Name><\/Queue><\/Queues><NextMarker \/>/);
    });

    test("a name must be 3 to 63 lower-case letters, digits and single dashes", async () => {
      for (const name of ["ab", "a".repeat(64)]) {
        await assert.rejects(service.createQueue(name), refusedWith("OutOfRangeInput"), name);
      }
      for (const name of ["Abc", "a--b", "-ab", "ab-", "a_b", "a.b", "äöü"]) {
        await assert.rejects(service.createQueue(name), refusedWith("InvalidResourceName"), name);
      }
      for (const name of ["abc", "a-b-c", "123", "a".repeat(63)]) await service.createQueue(name);
    });

    test("message replies look as the protocol prints them", async () => {
      const queue = fresh();
      await queue.create();
      const path = `/${queue.name}/messages`;
      const body = "<QueueMessage><MessageText>a &amp; b</MessageText></QueueMessage>";
      const date = new Date(server.clock.now()).toUTCString();
      const put = await sendRaw(server, "queue", { method: "POST", path, body });
      assert.equal(put.status, 201);
      assert.equal(put.headers["content-type"], "application/xml");
      assert.ok(
        put.body.startsWith(
          `${BOM}<?xml version="1.0" encoding="utf-8"?><QueueMessagesList><QueueMessage><MessageId>`,
        ),
      );
      assert.equal(put.element("InsertionTime"), date);
      assert.equal(put.element("TimeNextVisible"), date);
      assert.match(put.element("PopReceipt") ?? "", /^[A-Za-z0-9+/]{32}$/);
      assert.equal(put.element("MessageText"), undefined);

      const peeked = await sendRaw(server, "queue", { method: "GET", path, query: { peekonly: "true" } });
      assert.equal(peeked.element("DequeueCount"), "0");
      assert.equal(peeked.element("PopReceipt"), undefined);
      assert.equal(peeked.element("TimeNextVisible"), undefined);
      const got = await sendRaw(server, "queue", { method: "GET", path });
      assert.equal(got.status, 200);
      assert.equal(got.element("MessageText"), "a &amp; b");
      assert.equal(got.element("MessageId"), put.element("MessageId"));
      const empty = await sendRaw(server, "queue", { method: "GET", path });
      assert.equal(empty.body, `${BOM}<?xml version="1.0" encoding="utf-8"?><QueueMessagesList />`);

      const old = { "x-ms-version": "2015-12-11" };
      const silent = await sendRaw(server, "queue", { method: "POST", path, body, headers: old });
      assert.deepEqual([silent.status, silent.body], [201, ""]);
    });

    test("messages of every legal character come back as they went", async () => {
      const queue = fresh();
      await queue.create();
      const texts = [
        "",
        " leading and trailing ",
        "<b>&\"'</b> ]]> <![CDATA[x]]>",
        "tab\tand no-break\u00a0space",
        "äöü ß € \u{1F600} \u{10FFFF} \u0085 \u2028 \ufeff \ufffd",
        Buffer.from("binary \0\x01\xff", "latin1").toString("base64"),
        "x".repeat(65_536),
        "é".repeat(32_768),
        "<".repeat(65_536),
      ];
      for (const text of texts) {
        await queue.sendMessage(text);
        const [got] = (await queue.receiveMessages()).receivedMessageItems;
        assert.equal(got?.messageText, text);
        await queue.updateMessage(got!.messageId, got!.popReceipt, text, 0);
        assert.equal((await queue.peekMessages()).peekedMessageItems[0]?.messageText, text);
        await queue.clearMessages();
      }
    });

    test("line ends: a line feed stays, a carriage return is kept when it comes as a reference", async () => {
      // By hand, because the SDK leaves line feeds out of what it sends.
      const queue = fresh();
      await queue.create();
      const path = `/${queue.name}/messages`;
      for (const [sent, kept] of [
        ["a\nb", "a\nb"],
        ["a&#13;b&#xD;\n", "a&#xD;b&#xD;\n"],
        ["a\r\nb\rc", "a\nb\nc"],
        ["a<b>dropped</b>c<!-- gone -->d<![CDATA[<e>]]>", "acd&lt;e&gt;"],
      ] as const) {
        const body = `<QueueMessage><MessageText>${sent}</MessageText></QueueMessage>`;
        await sendRaw(server, "queue", { method: "POST", path, body });
        const peeked = await sendRaw(server, "queue", { method: "GET", path, query: { peekonly: "true" } });
        assert.equal(peeked.element("MessageText"), kept);
        await queue.clearMessages();
      }
    });

    test("a text beyond 64 KiB is refused", async () => {
      const queue = fresh();
      await queue.create();
      const put = await queue.sendMessage("kept");
      for (const text of ["x".repeat(65_537), "é".repeat(32_769), "<".repeat(65_537), "x".repeat(600_000)]) {
        await assert.rejects(queue.sendMessage(text), refusedWith("RequestBodyTooLarge"));
        await assert.rejects(
          queue.updateMessage(put.messageId, put.popReceipt, text, 0),
          refusedWith("RequestBodyTooLarge"),
        );
      }
      const refused = await sendRaw(server, "queue", {
        method: "POST",
        path: `/${queue.name}/messages`,
        body: `<QueueMessage><MessageText>${"x".repeat(65_537)}</MessageText></QueueMessage>`,
      });
      assert.equal(refused.status, 413);
      assert.equal(refused.element("MaxLimit"), "65536");
      assert.deepEqual(
        (await queue.peekMessages({ numberOfMessages: 32 })).peekedMessageItems.map(
          (item) => item.messageText,
        ),
        ["kept"],
      );
    });

    test("statistics are served at the secondary address, where reading works too", async () => {
      const queue = fresh();
      await queue.create();
      const url = `${server.endpoints.queue}/${server.account}-secondary`;
      const credential = new StorageSharedKeyCredential(server.account, server.key);
      // Python's clients put the secondary's name in front of the primary's.
      for (const address of [url, `${url}/${server.account}`]) {
        const secondary = new QueueServiceClient(address, credential, { retryOptions: { maxTries: 1 } });
        assert.equal((await secondary.getStatistics()).geoReplication?.status, "live");
        await secondary.getQueueClient(queue.name).getProperties();
      }
      await assert.rejects(service.getStatistics(), refusedWith("InvalidQueryParameterValue"));
    });

    test("an anonymous caller is turned away with a challenge", async () => {
      const reply = await sendRaw(server, "queue", {
        method: "GET",
        path: "/anything/messages",
        isAnonymous: true,
        headers: { "x-ms-version": "2025-01-05" },
      });
      assert.equal(reply.status, 401);
      assert.match(String(reply.headers["www-authenticate"]), /^Bearer /);
    });
  });
}

test("what was acknowledged is there after a restart, hidden as long as it was", async () => {
  let server = await startTestServer({ engine: "embedded" });
  try {
    const before = queuesClient(server).getQueueClient("durable");
    await before.create({ metadata: { a: "1" } });
    for (const text of ["received", "deleted", "updated", "waiting"]) await before.sendMessage(text);
    const { receivedMessageItems } = await before.receiveMessages({
      numberOfMessages: 3,
      visibilityTimeout: 60,
    });
    const [received, deleted, updated] = receivedMessageItems;
    await before.deleteMessage(deleted!.messageId, deleted!.popReceipt);
    await before.updateMessage(updated!.messageId, updated!.popReceipt, "changed", 90);
    server = await server.restart();
    const queue = queuesClient(server).getQueueClient("durable");
    const texts = async (): Promise<string[]> =>
      (await queue.peekMessages({ numberOfMessages: 32 })).peekedMessageItems.map((item) => item.messageText);
    assert.deepEqual(await texts(), ["waiting"]);
    assert.equal((await queue.getProperties()).approximateMessagesCount, 3);
    server.clock.advance(60_000);
    assert.deepEqual(await texts(), ["waiting", "received"]);
    server.clock.advance(30_000);
    assert.deepEqual(await texts(), ["waiting", "received", "changed"]);
    await queue.deleteMessage(received!.messageId, received!.popReceipt);
    await queue.deleteMessage(updated!.messageId, updated!.popReceipt).then(
      () => assert.fail("the update made this receipt worthless"),
      (error) => assert.equal(codeOf(error), "MessageNotFound"),
    );
  } finally {
    await server.close();
  }
});
