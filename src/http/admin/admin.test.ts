import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { silentLog } from "../../observability/log.ts";
import { type Listener, listen } from "../listener.ts";
import { createAdminHandler, type Readiness } from "./admin.ts";

let readiness: Readiness;
let metrics: () => Promise<string> = async () => "figure 1\n";
let reset: (() => Promise<void>) | undefined;
let server: Listener;
let base: string;

before(async () => {
  const handler = createAdminHandler({
    readiness: () => readiness,
    metrics: () => metrics(),
    get reset() {
      return reset;
    },
    log: silentLog,
  });
  server = await listen({ host: "127.0.0.1", port: 0, handler });
  base = `http://127.0.0.1:${server.port}`;
});
after(() => server.close());

const up = { isUp: true, state: "open" };

test("the process is healthy as long as it answers", async () => {
  const reply = await fetch(`${base}/healthz`);
  assert.equal(reply.status, 200);
  assert.deepEqual(await reply.json(), { status: "alive" });
});

test("it is ready when every part is up, and says which one is not", async () => {
  readiness = { isStopping: false, parts: { store: up, listeners: { isUp: true, state: "up" } } };
  const ready = await fetch(`${base}/readyz`);
  assert.equal(ready.status, 200);
  assert.equal(ready.headers.get("cache-control"), "no-store");
  assert.deepEqual(await ready.json(), { status: "ready", store: "open", listeners: "up" });

  readiness = { isStopping: false, parts: { store: up, listeners: { isUp: false, state: "starting" } } };
  const starting = await fetch(`${base}/readyz`);
  assert.equal(starting.status, 503);
  assert.deepEqual(await starting.json(), { status: "not ready", store: "open", listeners: "starting" });

  readiness = { isStopping: true, parts: { store: up } };
  const stopping = await fetch(`${base}/readyz`);
  assert.equal(stopping.status, 503);
  assert.deepEqual(await stopping.json(), { status: "stopping", store: "open" });

  readiness = { isStopping: false, parts: {} };
  assert.equal((await fetch(`${base}/readyz`)).status, 503);
});

test("metrics come as Prometheus reads them, and a failure is a 500", async () => {
  const reply = await fetch(`${base}/metrics?x=1`);
  assert.match(reply.headers.get("content-type")!, /^text\/plain; version=0\.0\.4/);
  assert.equal(await reply.text(), "figure 1\n");
  metrics = () => Promise.reject(new Error("no worker answered"));
  assert.equal((await fetch(`${base}/metrics`)).status, 500);
});

test("HEAD answers without a body, other methods and paths are refused", async () => {
  const head = await fetch(`${base}/healthz`, { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get("content-length"), "19");
  assert.equal(await head.text(), "");
  const post = await fetch(`${base}/metrics`, { method: "POST", body: "x" });
  assert.equal(post.status, 405);
  assert.equal(post.headers.get("allow"), "GET, HEAD");
  for (const path of ["/", "/healthz/", "/metricsx", "//healthz"])
    assert.equal((await fetch(base + path)).status, 404, path);
});

test("a reset is done where the operator allowed it, and never for a web page", async () => {
  const post = (headers: Record<string, string> = {}) => fetch(`${base}/reset`, { method: "POST", headers });
  let count = 0;
  assert.equal((await post()).status, 403);
  reset = async () => {
    count++;
  };
  assert.deepEqual(await (await post()).json(), { status: "reset" });
  assert.equal(count, 1);
  assert.equal((await post({ origin: "http://127.0.0.1:10004" })).status, 403);
  const got = await fetch(`${base}/reset`);
  assert.deepEqual([got.status, got.headers.get("allow")], [405, "POST"]);
  assert.equal(count, 1);
  reset = () => Promise.reject(new Error("the disk is gone"));
  assert.equal((await post()).status, 500);
});
