import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { test } from "node:test";
import { listenOrMove } from "./listen-or-move.ts";

const listen = async (at: { readonly host: string; readonly port: number }): Promise<Server> => {
  const server = createServer().listen(at);
  await once(server, "listening");
  return server;
};
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

test("a configured port that is in use fails; a default port that gives way moves", async (t) => {
  const host = "127.0.0.1";
  const first = await listenOrMove("blob", { host, port: 0 }, listen);
  t.after(() => first.close());
  const port = portOf(first);
  await assert.rejects(listenOrMove("blob", { host, port }, listen), {
    name: "CannotStart",
    message: `127.0.0.1:${port} is in use; set another --blobPort or stop the program that listens there`,
  });
  const moved = await listenOrMove("blob", { host, port, givesWay: true }, listen);
  t.after(() => moved.close());
  assert.notEqual(portOf(moved), port);
});

test("other errors are not hidden by moving", async () => {
  const denied = Object.assign(new Error("no"), { code: "EACCES" });
  let times = 0;
  const listening = listenOrMove("blob", { host: "127.0.0.1", port: 1, givesWay: true }, async () => {
    times++;
    throw denied;
  });
  await assert.rejects(listening, denied);
  assert.equal(times, 1);
});
