import type { PlainRequest } from "../../../bench/sign.ts";
import { KIB } from "../../../src/base/limits.ts";
import type { Random } from "../../../src/base/random.ts";
import { batchOf } from "../../history/scenes/rows.ts";
import { contentOf, pickOf, valueIn } from "../../history/scenes/stage.ts";
import { type Cell, type Change, EMPTY, type Send, TORN } from "./cell.ts";

/** What the clients of a crash run write: something of every service, in every manner that stores bytes. */
export const CONTAINER = "ledger";
const SIZES = [50, 3 * KIB, 20 * KIB, 300 * KIB];
const BLOCK_BLOB = { "x-ms-blob-type": "BlockBlob" };

export const PREPARE: readonly (readonly ["blob" | "table" | "file", PlainRequest])[] = [
  ["blob", { method: "PUT", path: `/${CONTAINER}`, query: { restype: "container" } }],
  [
    "table",
    {
      method: "POST",
      path: "/Tables",
      headers: { "Content-Type": "application/json" },
      body: Buffer.from(JSON.stringify({ TableName: CONTAINER })),
    },
  ],
  ["file", { method: "PUT", path: `/${CONTAINER}`, query: { restype: "share" } }],
];

const stateOf = (value: string): string => (value.startsWith(TORN) ? TORN : value);

/** A number that no state of the cell had before. */
class Counter {
  #last = 0;
  next(): number {
    return ++this.#last;
  }
}

export function blobCell(name: string): Cell {
  const path = `/${CONTAINER}/${name}`;
  const counter = new Counter();
  return {
    name: `blob ${name}`,
    initial: EMPTY,
    change(state, random): Change {
      if (state !== EMPTY && random.fraction() < 0.2) {
        return { next: EMPTY, service: "blob", requests: [{ method: "DELETE", path }] };
      }
      const next = `v${counter.next()}`;
      const body = contentOf(next, SIZES[pickOf(random, SIZES.length)]!);
      return { next, service: "blob", requests: [{ method: "PUT", path, headers: BLOCK_BLOB, body }] };
    },
    read: (send) => readBlob(send, path),
  };
}

async function readBlob(send: Send, path: string): Promise<string> {
  const { status, body } = await send("blob", { method: "GET", path });
  return status === 404 ? EMPTY : status === 200 ? stateOf(valueIn(body)) : `${TORN} ${status}`;
}

/** Two blocks and the list that makes a blob of them. */
export function blocksCell(name: string): Cell {
  const path = `/${CONTAINER}/${name}`;
  const counter = new Counter();
  return {
    name: `blocks ${name}`,
    initial: EMPTY,
    change(_, random): Change {
      const next = `v${counter.next()}`;
      const body = contentOf(next, 2 * KIB + pickOf(random, 60 * KIB));
      const half = body.length >> 1;
      const ids = [0, 1].map((part) => Buffer.from(`${next}.${part}`.padEnd(16)).toString("base64"));
      const block = (blockid: string, bytes: Buffer): PlainRequest => ({
        method: "PUT",
        path,
        query: { comp: "block", blockid },
        body: bytes,
      });
      const list = `<BlockList>${ids.map((id) => `<Latest>${id}</Latest>`).join("")}</BlockList>`;
      const requests = [
        block(ids[0]!, body.subarray(0, half)),
        block(ids[1]!, body.subarray(half)),
        { method: "PUT", path, query: { comp: "blocklist" }, body: Buffer.from(list) },
      ];
      return { next, service: "blob", requests };
    },
    read: (send) => readBlob(send, path),
  };
}

const RECORD_BYTES = 64;
const RECORDS_MAX = 60;
const recordOf = (number: number): Buffer => contentOf(`record ${number}`, RECORD_BYTES);

/** An append blob as a journal: the state is how many records it has. */
export function journalCell(name: string): Cell {
  const path = `/${CONTAINER}/${name}`;
  return {
    name: `journal ${name}`,
    initial: EMPTY,
    change(state): Change {
      if (state === EMPTY) {
        const headers = { "x-ms-blob-type": "AppendBlob" };
        return { next: "0", service: "blob", requests: [{ method: "PUT", path, headers }] };
      }
      const count = Number(state);
      if (count === RECORDS_MAX)
        return { next: EMPTY, service: "blob", requests: [{ method: "DELETE", path }] };
      const query = { comp: "appendblock" };
      const request = { method: "PUT", path, query, body: recordOf(count + 1) };
      return { next: String(count + 1), service: "blob", requests: [request] };
    },
    async read(send) {
      const { status, body } = await send("blob", { method: "GET", path });
      if (status === 404) return EMPTY;
      const count = body.length / RECORD_BYTES;
      const whole = Buffer.concat(Array.from({ length: Math.floor(count) }, (_, i) => recordOf(i + 1)));
      return status === 200 && whole.equals(body) ? String(count) : TORN;
    },
  };
}

const ROWS = ["r0", "r1", "r2", "r3", "r4"];

/** A partition whose rows are always written together. */
export function partitionCell(name: string): Cell {
  const counter = new Counter();
  return {
    name: `partition ${name}`,
    initial: EMPTY,
    change(state, random): Change {
      const isDelete = state !== EMPTY && random.fraction() < 0.15;
      const next = isDelete ? EMPTY : `v${counter.next()}`;
      const changes = ROWS.map((key) =>
        isDelete
          ? ({ kind: "delete", key, condition: { ifMatch: "*" } } as const)
          : ({ kind: "put", key, value: next } as const),
      );
      return {
        next,
        service: "table",
        requests: [batchOf(CONTAINER, name, changes)],
        statusOf: ({ status, body }) =>
          Number(/HTTP\/1\.1 ([45]\d\d)/.exec(body.latin1Slice())?.[1] ?? status),
      };
    },
    async read(send) {
      const { status, body } = await send("table", {
        method: "GET",
        path: `/${CONTAINER}()`,
        query: { $filter: `PartitionKey eq '${name}'` },
        headers: { Accept: "application/json;odata=nometadata" },
      });
      // Without its table nothing of it is left.
      if (status === 404) return EMPTY;
      if (status !== 200) return `${TORN} ${status}`;
      const { value } = JSON.parse(body.toString()) as { value: { V: string }[] };
      if (value.length === 0) return EMPTY;
      const [first] = value;
      return value.length === ROWS.length && value.every(({ V }) => V === first!.V) ? first!.V : TORN;
    },
  };
}

const FILE_BYTES = 24 * KIB;

/** A file that is written over as a whole, one Put Range each time. */
export function fileCell(name: string): Cell {
  const path = `/${CONTAINER}/${name}`;
  const counter = new Counter();
  const create: PlainRequest = {
    method: "PUT",
    path,
    headers: { "x-ms-type": "file", "x-ms-content-length": String(FILE_BYTES) },
  };
  return {
    name: `file ${name}`,
    initial: EMPTY,
    change(state, random): Change {
      if (state === EMPTY) return { next: "zeros", service: "file", requests: [create] };
      if (random.fraction() < 0.1) {
        return { next: EMPTY, service: "file", requests: [{ method: "DELETE", path }] };
      }
      const next = `v${counter.next()}`;
      const headers = { "x-ms-write": "update", "x-ms-range": `bytes=0-${FILE_BYTES - 1}` };
      const body = contentOf(next, FILE_BYTES);
      return {
        next,
        service: "file",
        requests: [{ method: "PUT", path, query: { comp: "range" }, headers, body }],
      };
    },
    async read(send) {
      const { status, body } = await send("file", { method: "GET", path });
      if (status === 404) return EMPTY;
      if (status !== 200 || body.length !== FILE_BYTES) return `${TORN} ${status}`;
      return body.every((byte) => byte === 0) ? "zeros" : stateOf(valueIn(body));
    },
  };
}

const MESSAGES_MAX = 20;

/**
 * A queue of its own: messages are put, deleted by the receipt of their put, and cleared when there are many.
 */
export function queueCell(name: string): Cell {
  const path = `/${name}`;
  const counter = new Counter();
  const receipts = new Map<string, { id: string; receipt: string }>();
  const print = (texts: readonly string[]): string => [...texts].sort().join(" ");
  return {
    name: `queue ${name}`,
    initial: "none",
    change(state, random): Change {
      if (state === "none") return { next: EMPTY, service: "queue", requests: [{ method: "PUT", path }] };
      const texts = state === EMPTY ? [] : state.split(" ");
      if (texts.length >= MESSAGES_MAX) {
        const request = { method: "DELETE", path: `${path}/messages` };
        return { next: EMPTY, service: "queue", requests: [request] };
      }
      const known = texts.filter((text) => receipts.has(text));
      if (known.length > 0 && random.fraction() < 0.4) {
        const text = known[pickOf(random, known.length)]!;
        const { id, receipt } = receipts.get(text)!;
        const request = { method: "DELETE", path: `${path}/messages/${id}`, query: { popreceipt: receipt } };
        return { next: print(texts.filter((one) => one !== text)), service: "queue", requests: [request] };
      }
      const text = `m${counter.next()}`;
      const body = Buffer.from(`<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`);
      return {
        next: print([...texts, text]),
        service: "queue",
        requests: [{ method: "POST", path: `${path}/messages`, body }],
        onDone({ body: reply }) {
          const xml = reply.toString();
          const field = (tag: string): string => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)![1]!;
          receipts.set(text, { id: field("MessageId"), receipt: field("PopReceipt") });
        },
      };
    },
    async read(send) {
      const query = { peekonly: "true", numofmessages: "32" };
      const { status, body } = await send("queue", { method: "GET", path: `${path}/messages`, query });
      if (status === 404) return "none";
      const texts = [...body.toString().matchAll(/<MessageText>([^<]*)</g)].map(([, text]) => text!);
      return print(texts);
    },
  };
}

export function cellsOf(client: number, random: Random): Cell[] {
  const cells = [
    blobCell(`b${client}-0`),
    blobCell(`b${client}-1`),
    blocksCell(`k${client}`),
    journalCell(`j${client}`),
    partitionCell(`p${client}`),
    partitionCell(`q${client}`),
    fileCell(`f${client}`),
    queueCell(`ledger${client}`),
  ];
  return random.fraction() < 0.5 ? cells : cells.reverse();
}
