import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { certificateFile } from "../kit/certificates.ts";
import { startProgram } from "../kit/program.ts";
import { send } from "../kit/send.ts";

/** Sources over HTTPS: their certificate must be one that this machine trusts, as the operator has said. */
test("a copy reads a source over HTTPS, and only from a server it can trust", async (t) => {
  const content = Buffer.alloc(300_000, "s");
  const elsewhere = createServer(
    { cert: readFileSync(certificateFile("cert.pem")), key: readFileSync(certificateFile("key.pem")) },
    (_, reply) =>
      reply.writeHead(200, { "content-length": content.length, "content-type": "text/far" }).end(content),
  );
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    elsewhere.closeAllConnections();
    elsewhere.close();
  });
  const source = `https://localhost:${(elsewhere.address() as AddressInfo).port}/thing`;
  const copies = [
    { name: "put-blob-from-url", headers: { "x-ms-blob-type": "BlockBlob" }, status: 201 },
    { name: "copy-from-url", headers: { "x-ms-requires-sync": "true" }, status: 202 },
    { name: "copy", headers: {}, status: 202 },
  ];
  const trusting = { NODE_EXTRA_CA_CERTS: certificateFile("cert.pem") };
  for (const [env, isTrusted] of [
    [trusting, true],
    [{}, false],
  ] as const) {
    const program = await startProgram(["--inMemory", "--silent"], env);
    try {
      const ask = (method: string, path: string, query: Record<string, string>, headers = {}) =>
        send(program, {
          service: "blob",
          method,
          path,
          query,
          headers,
          body: method === "PUT" ? Buffer.alloc(0) : undefined,
        } as never);
      assert.equal((await ask("PUT", "/copies", { restype: "container" })).status, 201);
      for (const { name, headers, status } of copies) {
        const reply = await ask("PUT", `/copies/${name}`, {}, { "x-ms-copy-source": source, ...headers });
        if (!isTrusted) {
          assert.equal(reply.code, "CannotVerifyCopySource", `${name}: ${reply.status} ${reply.body}`);
          continue;
        }
        assert.equal(reply.status, status, `${name}: ${reply.body}`);
        const copied = await ask("GET", `/copies/${name}`, {});
        assert.equal(copied.body, content.toString());
      }
    } finally {
      await program.stop();
    }
  }
});
