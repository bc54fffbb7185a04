import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { type PlainRequest, signedHeaders, targetOf } from "../../bench/sign.ts";
import { monotonic, pause } from "../../src/base/clock.ts";
import { KIB } from "../../src/base/limits.ts";
import { seededRandom } from "../../src/base/random.ts";

/**
 * Clients of all four services in a process of their own. They write, read and delete within a fixed number
 * of names, so that what is alive stays the same however long they go on.
 *
 *   argv: ports, slots, seed
 *   stdin: a line with the requests per second to keep to (0: as many as possible)
 *   stdout: "ready", then for each line the figures since the last one
 */
type Service = "blob" | "queue" | "table" | "file";
interface Step extends PlainRequest {
  readonly service: Service;
}

const [ports, slots, seed] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown) as unknown as [
  Record<Service, number>,
  number,
  number,
];
const CLIENTS = 16;
const PATIENCE_MILLIS = 30_000;
const LARGE_BYTES = 512 * KIB;
const NAME = "soak";
const JSON_BODY = { "Content-Type": "application/json", Accept: "application/json;odata=nometadata" };
const BLOCK_BLOB = { "x-ms-blob-type": "BlockBlob" };
const large = Buffer.alloc(LARGE_BYTES, "soak ");
const small = Buffer.alloc(1_024, "s");
const message = Buffer.from("<QueueMessage><MessageText>soak</MessageText></QueueMessage>");
const random = seededRandom(seed);
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });

interface Reply {
  readonly status: number;
  readonly text: string;
  /** How many it took, where one led to the other. */
  readonly requests?: number;
}

function send(step: Step): Promise<Reply> {
  const headers = signedHeaders(step);
  if (step.body !== undefined || step.method === "PUT")
    headers["Content-Length"] = String(step.body?.length ?? 0);
  return new Promise((resolve) => {
    const outgoing = request({
      host: "127.0.0.1",
      port: ports[step.service],
      method: step.method,
      path: targetOf(step),
      headers,
      agent,
      timeout: PATIENCE_MILLIS,
    });
    outgoing.on("timeout", () => outgoing.destroy());
    outgoing.on("error", () => resolve({ status: 0, text: "" }));
    outgoing.on("response", (incoming) => {
      const isText = step.service === "queue";
      let text = "";
      incoming.on("data", (chunk: Buffer) => {
        if (isText) text += chunk.toString();
      });
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, text }));
      incoming.on("error", () => resolve({ status: 0, text: "" }));
    });
    outgoing.end(step.body);
  });
}

const pick = (count: number): number => Math.floor(random.fraction() * count);
const putLarge = (slot: number): Step => ({
  service: "blob",
  method: "PUT",
  path: `/${NAME}/large-${slot}`,
  headers: BLOCK_BLOB,
  body: large,
});
const file = (slot: number): Step => ({
  service: "file",
  method: "PUT",
  path: `/${NAME}/file-${slot}`,
  headers: { "x-ms-type": "file", "x-ms-content-length": "65536" },
});
const entity = (slot: number): Step => ({
  service: "table",
  method: "PUT",
  path: `/${NAME}(PartitionKey='p${slot % 10}',RowKey='r${slot}')`,
  headers: JSON_BODY,
  body: Buffer.from(`{"text":"${"t".repeat(200)}","number":${pick(1_000)}}`),
});

/** What a client does next; several steps where one leads to the other. */
async function act(): Promise<Reply> {
  const slot = pick(slots);
  const choice = random.fraction();
  const blob = `/${NAME}/small-${slot}`;
  if (choice < 0.2)
    return send({ service: "blob", method: "PUT", path: blob, headers: BLOCK_BLOB, body: small });
  if (choice < 0.37) return expecting([200, 404], send({ service: "blob", method: "GET", path: blob }));
  if (choice < 0.4) return send({ service: "blob", method: "GET", path: `/${NAME}/large-${slot}` });
  if (choice < 0.42) return send(putLarge(slot));
  if (choice < 0.45) return expecting([202, 404], send({ service: "blob", method: "DELETE", path: blob }));
  if (choice < 0.6) return send(entity(slot));
  if (choice < 0.7) {
    const path = `/${NAME}(PartitionKey='p${slot % 10}',RowKey='r${slot}')`;
    return expecting([200, 404], send({ service: "table", method: "GET", path, headers: JSON_BODY }));
  }
  if (choice < 0.8) return passMessage();
  if (choice < 0.9) {
    const from = pick(16) * 4_096;
    return send({
      service: "file",
      method: "PUT",
      path: `/${NAME}/file-${slot}`,
      query: { comp: "range" },
      headers: { "x-ms-write": "update", "x-ms-range": `bytes=${from}-${from + 4_095}` },
      body: Buffer.alloc(4_096, "f"),
    });
  }
  return send({ service: "file", method: "GET", path: `/${NAME}/file-${slot}` });
}

async function expecting(statuses: readonly number[], reply: Promise<Reply>): Promise<Reply> {
  const { status, text } = await reply;
  return { status: statuses.includes(status) ? 200 : status, text };
}

async function passMessage(): Promise<Reply> {
  const path = `/${NAME}/messages`;
  const put = await send({ service: "queue", method: "POST", path, body: message });
  if (put.status !== 201) return put;
  const got = await send({ service: "queue", method: "GET", path });
  const id = /<MessageId>([^<]+)</.exec(got.text)?.[1];
  const popreceipt = /<PopReceipt>([^<]+)</.exec(got.text)?.[1];
  // Another client may have been faster, and taken the last one.
  if (id === undefined || popreceipt === undefined) return { ...got, requests: 2 };
  const gone = await send({
    service: "queue",
    method: "DELETE",
    path: `${path}/${id}`,
    query: { popreceipt },
  });
  return { ...gone, requests: 3 };
}

/** Requests answered, those that failed, and the pace. */
let [done, errors, rate] = [0, 0, 0];
const failures = new Set<string>();

async function live(): Promise<void> {
  let next = monotonic();
  for (;;) {
    const { status, requests = 1 } = await act();
    done += requests;
    if (status === 0 || status >= 400) {
      errors++;
      failures.add(String(status));
    }
    // Whoever fell behind catches up, but not for long.
    next =
      rate === 0 ? monotonic() : Math.max(next + (requests * CLIENTS * 1_000) / rate, monotonic() - 1_000);
    const wait = next - monotonic();
    if (wait > 0) await pause(wait);
  }
}

async function prepare(): Promise<void> {
  const must = async (step: Step): Promise<void> => {
    const { status } = await send(step);
    if (status === 0 || status >= 300) throw new Error(`${step.method} ${step.path}: ${status}`);
  };
  await must({ service: "blob", method: "PUT", path: `/${NAME}`, query: { restype: "container" } });
  await must({ service: "queue", method: "PUT", path: `/${NAME}` });
  const table = Buffer.from(`{"TableName":"${NAME}"}`);
  await must({ service: "table", method: "POST", path: "/Tables", headers: JSON_BODY, body: table });
  await must({ service: "file", method: "PUT", path: `/${NAME}`, query: { restype: "share" } });
  for (let slot = 0; slot < slots; slot++) {
    await Promise.all([must(putLarge(slot)), must(file(slot)), must(entity(slot))]);
  }
}

await prepare();
for (let client = 0; client < CLIENTS; client++) void live();
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify({ done, errors, failures: [...failures] })}\n`);
  [done, errors, rate] = [0, 0, Number(line)];
  failures.clear();
}
process.exit(0);
