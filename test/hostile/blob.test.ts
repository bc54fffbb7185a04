import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { signed } from "../../bench/sign.ts";
import { onEachEngine } from "../kit/blob.ts";

/** What no SDK sends. Each gets the protocol's error, and the server goes on as if nothing had been. */
onEachEngine("hostile requests", (kit) => {
  const bodies: readonly (readonly [title: string, body: string])[] = [
    ["deep elements", `${"<a>".repeat(5_000)}${"</a>".repeat(5_000)}`],
    [
      "entity bomb",
      `<!DOCTYPE a [<!ENTITY b "${"x".repeat(100)}"><!ENTITY c "&b;&b;&b;">]><BlockList>&c;</BlockList>`,
    ],
    ["outside entity", `<!DOCTYPE a SYSTEM "file:///etc/passwd"><BlockList/>`],
    ["not closed", "<BlockList><Latest>AAAA</Latest>"],
    ["not UTF-8", "\xff\xfe<BlockList/>"],
    ["nothing at all", ""],
    ["no XML", "{}"],
    ["bad base64", "<BlockList><Latest>%%%</Latest></BlockList>"],
    ["an id too long", `<BlockList><Latest>${"A".repeat(92)}</Latest></BlockList>`],
  ];

  test("XML that means harm is refused wherever XML is read", async () => {
    const container = await kit.container();
    await container.uploadBlockBlob("b", "x", 1);
    const places = [
      { path: `/${container.containerName}/b`, query: { comp: "blocklist" } },
      { path: `/${container.containerName}/b`, query: { comp: "tags" } },
      { path: `/${container.containerName}`, query: { restype: "container", comp: "acl" } },
    ];
    for (const place of places) {
      for (const [title, body] of bodies) {
        // No policies at all is what an empty ACL says.
        if (body === "" && place.query.comp === "acl") continue;
        const reply = await kit.raw({ method: "PUT", ...place, body: Buffer.from(body, "latin1") });
        assert.equal(reply.status, 400, `${place.query.comp}: ${title}`);
        assert.match(reply.code ?? "", /^(Invalid|Unsupported|Missing)/);
      }
    }
    assert.equal((await container.getBlobClient("b").downloadToBuffer()).toString(), "x");
  });

  test("a body larger than its operation takes is refused before it is read", async () => {
    const container = await kit.container();
    const huge = String(6 * 1_024 ** 3);
    for (const query of [{}, { comp: "block", blockid: "AAAA" }, { comp: "tags" }, { comp: "blocklist" }]) {
      const reply = await kit.raw({
        method: "PUT",
        path: `/${container.containerName}/b`,
        query,
        headers: { "x-ms-blob-type": "BlockBlob", "content-length": huge, expect: "100-continue" },
      });
      assert.deepEqual([reply.status, reply.code], [413, "RequestBodyTooLarge"], JSON.stringify(query));
    }
  });

  test("a client that leaves in the middle of its body has stored nothing", async () => {
    const container = await kit.container();
    const port = Number(new URL(kit.server.endpoints.blob).port);
    for (const bytes of [4_000, 400_000]) {
      const path = `/${container.containerName}/half`;
      const whole = signed(
        { method: "PUT", path, headers: { "x-ms-blob-type": "BlockBlob" }, body: Buffer.alloc(bytes) },
        port,
      );
      await new Promise<void>((resolve) => {
        const socket = connect({ port, host: "127.0.0.1" }, () => {
          socket.write(whole.subarray(0, whole.length - bytes / 2), () => socket.destroy());
        });
        socket.on("close", () => resolve());
      });
      const after = await kit.raw({ path });
      assert.deepEqual([after.status, after.code], [404, "BlobNotFound"]);
    }
  });

  test("addresses that name nothing are refused", async () => {
    for (const [path, query] of [
      ["/c/", {}],
      ["//b", {}],
      ["/UPPER/b", {}],
      ["/a/b", {}],
      [`/ccc/${"n".repeat(2_000)}`, {}],
      ["/ccc/b", { comp: "nonsense" }],
      ["/ccc", { restype: "nonsense" }],
      ["/ccc", { restype: "container", comp: "nonsense" }],
      ["/ccc/b", { snapshot: "x" }],
      ["/ccc/b", { versionid: "2026-99-99T00:00:00.0000000Z" }],
    ] as const) {
      const reply = await kit.raw({ path, query });
      assert.ok(
        reply.status === 400 || reply.status === 404,
        `${path} ${JSON.stringify(query)}: ${reply.status}`,
      );
      assert.ok(reply.code !== undefined && reply.code !== "InternalError");
    }
    const verb = await kit.raw({ method: "POST", path: "/ccc/b" });
    assert.ok(verb.status === 405 || verb.status === 400);
  });

  test("headers with nonsense in them are named", async () => {
    const container = await kit.container();
    const put = async (headers: Record<string, string>) => {
      const reply = await kit.raw({
        method: "PUT",
        path: `/${container.containerName}/b`,
        headers: { "x-ms-blob-type": "BlockBlob", ...headers },
        body: "x",
      });
      return [reply.status, reply.code];
    };
    for (const headers of [
      { "x-ms-tags": "no-equals-sign" },
      { "x-ms-tags": `k=${"v".repeat(3_000)}` },
      { "x-ms-encryption-key": "short", "x-ms-encryption-algorithm": "AES256" },
      { "x-ms-encryption-algorithm": "ROT13" },
      { "x-ms-encryption-scope": "s".repeat(64) },
      { "x-ms-legal-hold": "maybe" },
      { "x-ms-immutability-policy-until-date": "soon" },
      { "x-ms-immutability-policy-mode": "locked" },
      { "x-ms-lease-id": "not-a-guid" },
    ]) {
      assert.deepEqual(
        await put(headers as Record<string, string>),
        [400, "InvalidHeaderValue"],
        JSON.stringify(headers),
      );
    }
    const structured = await kit.raw({
      path: `/${container.containerName}/b`,
      headers: { "x-ms-structured-body": "XSM/9.9" },
    });
    assert.equal(structured.status, 400);
  });
});
