import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { WireClient } from "./wire-client.ts";

/** A server that answers each request with the next of these, or hangs up. */
async function serve(answers: readonly (string | "hang up")[]) {
  let next = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", () => {
      const answer = answers[next++];
      if (answer === undefined || answer === "hang up") return socket.destroy();
      // In two chunks: a reply arrives as it likes.
      socket.write(answer.slice(0, 20));
      setImmediate(() => socket.write(answer.slice(20)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    ports: { blob: port, queue: port, table: port, file: port },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

test("a client knows what was answered, what was not, and what was never sent", async () => {
  const server = await serve([
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nETag: x\r\n\r\nabc",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
    "HTTP/1.1 412 No\r\nContent-Length: 0\r\nx-ms-error-code: ConditionNotMet\r\n\r\n",
    "hang up",
    "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
  ]);
  const client = new WireClient(() => server.ports);
  const send = () => client.send("blob", { method: "GET", path: "/c/b" });
  const first = await send();
  assert.ok(typeof first !== "string");
  assert.deepEqual([first.status, first.headers.get("etag"), first.body.toString()], [200, "x", "abc"]);
  const second = await send();
  assert.equal(typeof second === "string" ? second : second.body.toString(), "abc");
  const third = await send();
  assert.equal(typeof third === "string" ? third : third.code, "ConditionNotMet");
  assert.equal(await send(), "no reply");
  const last = await send();
  assert.equal(typeof last === "string" ? last : last.status, 204);
  await server.close();
  assert.equal(await send(), "not sent");
  client.close();
});
