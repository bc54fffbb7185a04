import { createHmac } from "node:crypto";
import { converse } from "../converse.ts";
import { drive, type Measured } from "../load.ts";
import type { Row } from "../rows.ts";
import type { Contender } from "../servers.ts";
import { ACCOUNT, KEY, type PlainRequest, signed } from "../sign.ts";

/**
 * Messages of 1 KiB on one queue. What is waiting stays as many while a row runs: as much is put as is taken.
 * What was taken and not deleted piles up hidden, as it does behind slow takers.
 */
const TEXT = "m".repeat(1_024);
const BODY = Buffer.from(`<QueueMessage><MessageText>${TEXT}</MessageText></QueueMessage>`);
const HIDE_FOR = "604800";
const PUT_REPLY_BYTES = 450;
const GET_REPLY_BYTES = 1_600;

const put = (queue: string): PlainRequest => ({ method: "POST", path: `/${queue}/messages`, body: BODY });
const get = (queue: string, count: number): PlainRequest => ({
  method: "GET",
  path: `/${queue}/messages`,
  query: { numofmessages: String(count), visibilitytimeout: HIDE_FOR },
});

interface RunOptions {
  readonly connections: number;
  readonly seconds: number;
}

/**
 * Azurite gets slower with each message that waits, and would take hours to be filled: it is spared most of
 * them.
 */
const AZURITE_WAITING_MAX = 3_000;
const FILL_SECONDS_MAX = 1_800;
const filled = new WeakMap<Contender, Set<string>>();

/** Makes the queue and puts what shall be waiting, once for each server. */
async function fill(contender: Contender, queue: string, wanted: number): Promise<void> {
  if (contender.name === "bare") return;
  const queues = filled.get(contender) ?? new Set();
  filled.set(contender, queues);
  if (queues.has(queue)) return;
  queues.add(queue);
  const port = contender.ports.queue;
  const create = signed({ method: "PUT", path: `/${queue}` }, port);
  await converse({
    port,
    connections: 1,
    seconds: 60,
    request: (_, reply) => (reply === undefined ? create : undefined),
  });
  const count = contender.name === "azurite" ? Math.min(wanted, AZURITE_WAITING_MAX) : wanted;
  const request = withSas(put(queue), port);
  let left = count;
  await converse({
    port,
    connections: 64,
    seconds: FILL_SECONDS_MAX,
    request: () => (left-- > 0 ? request : undefined),
  });
}

/** Requests in a fixed order, `count` puts and then one get of as many. */
async function putThenGet(
  contender: Contender,
  options: RunOptions,
  { waiting, count }: { waiting: number; count: number },
): Promise<Measured> {
  const queue = `waiting-${waiting}-${count}`;
  await fill(contender, queue, waiting);
  const port = contender.ports.queue;
  const order = [...Array.from({ length: count }, () => put(queue)), get(queue, count)];
  const requests = Array.from({ length: Math.ceil(2_000 / order.length) }, () => order).flat();
  return drive({ ...options, port, requests: requests.map((request) => signed(request, port)) });
}

const PRODUCERS = 32;
const ID = /<MessageId>([^<]*)<.*?<PopReceipt>([^<]*)</s;

/**
 * 32 put; 32 take one and delete it. What counts is what the takers do: a Get and a Delete are two requests.
 */
async function pipeline(contender: Contender, options: RunOptions, waiting: number): Promise<Measured> {
  const queue = `pipeline-${waiting}`;
  await fill(contender, queue, waiting);
  const port = contender.ports.queue;
  const putOne = withSas(put(queue), port);
  const getOne = withSas(get(queue, 1), port);
  const isDeleting: boolean[] = [];
  return converse({
    port,
    connections: PRODUCERS * 2,
    seconds: options.seconds,
    request: (connection, reply) => {
      if (connection < PRODUCERS) return putOne;
      isDeleting[connection] = reply !== undefined && isDeleting[connection] !== true;
      if (!isDeleting[connection]) return getOne;
      if (contender.name === "bare") return withSas(remove(queue, "id", "receipt"), port);
      const [, id, receipt] = ID.exec(reply!) ?? [];
      if (id !== undefined) return withSas(remove(queue, id, receipt!), port);
      isDeleting[connection] = false;
      return getOne;
    },
    isCounted: (_, connection) => connection >= PRODUCERS,
  });
}

const remove = (queue: string, id: string, receipt: string): PlainRequest => ({
  method: "DELETE",
  path: `/${queue}/messages/${id}`,
  query: { popreceipt: receipt },
});

const SAS = accountSas();

/**
 * A signature per request would make the generator the slowest of all: this one is good for every request.
 */
function withSas({ method, path, query = {}, body }: PlainRequest, port: number): Buffer {
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}&`);
  const head =
    `${method} /${ACCOUNT}${path}?${search.join("")}${SAS} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
    `x-ms-version: 2025-01-05\r\nContent-Length: ${body?.length ?? 0}\r\n\r\n`;
  return body === undefined ? Buffer.from(head) : Buffer.concat([Buffer.from(head), body]);
}

function accountSas(): string {
  const expiry = `${new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 19)}Z`;
  const fields = [ACCOUNT, "rwdlacup", "q", "sco", "", expiry, "", "", "2025-01-05", "", ""];
  const signature = createHmac("sha256", KEY).update(fields.join("\n")).digest("base64");
  return `sv=2025-01-05&ss=q&srt=sco&sp=rwdlacup&se=${encodeURIComponent(expiry)}&sig=${encodeURIComponent(signature)}`;
}

const WAITING = [100, 100_000, 1_000_000];
const printed = (count: number): string => count.toLocaleString("en-US");

export const QUEUE_ROWS: readonly Row[] = [
  {
    name: "put message 1 KiB",
    service: "queue",
    replyBytes: PUT_REPLY_BYTES,
    prepare: [{ method: "PUT", path: "/put-only" }],
    requests: () => Array.from({ length: 2_000 }, () => put("put-only")),
    azurite: true,
    target: { ofBare: 0.5, overAzurite: 20 },
  },
  ...WAITING.map(
    (waiting): Row => ({
      name: `put and get 1 message, ${printed(waiting)} waiting`,
      service: "queue",
      replyBytes: (PUT_REPLY_BYTES + GET_REPLY_BYTES) / 2,
      requests: () => [],
      run: (contender, options) => putThenGet(contender, options, { waiting, count: 1 }),
      azurite: waiting < 1_000_000,
      target: { ofBare: 0.4 },
    }),
  ),
  ...WAITING.map(
    (waiting): Row => ({
      name: `put and get 32 messages, ${printed(waiting)} waiting`,
      service: "queue",
      replyBytes: PUT_REPLY_BYTES,
      requests: () => [],
      run: (contender, options) => putThenGet(contender, options, { waiting, count: 32 }),
      azurite: false,
      target: { ofBare: 0.3 },
    }),
  ),
  ...WAITING.map(
    (waiting): Row => ({
      name: `get and delete, 32 putting, ${printed(waiting)} waiting`,
      service: "queue",
      replyBytes: GET_REPLY_BYTES / 2,
      requests: () => [],
      run: (contender, options) => pipeline(contender, options, waiting),
      azurite: waiting < 1_000_000,
      target: { ofBare: 0.4, ...(waiting === 100_000 ? { overAzurite: 100 } : {}) },
    }),
  ),
];
