import { Agent, request } from "node:http";
import { request as requestSecurely, Agent as SecureAgent } from "node:https";
import { createInterface } from "node:readline";
import { signedHeaders, targetOf } from "../../../bench/sign.ts";
import { monotonic, pause } from "../../../src/base/clock.ts";

/**
 * Honest clients, in a process of their own so that nothing but the server makes them wait. They write and
 * read small things at an even pace, half of them over connections that stay, half over a new one each time.
 * With "tls" they speak HTTPS: a new connection is a whole handshake, before an attack as well as during it.
 *
 *   arguments: the ports, as JSON; "tls" or nothing
 *   stdin: a line ends a window: "calm" when nothing attacked in it, "attack" or "skip"; "all calm" asks for
 *   all calm windows together
 *   stdout: the figures, as JSON
 */
type Service = "blob" | "queue" | "table";
const ports = JSON.parse(process.argv[2]!) as Record<Service, number>;
const isSecure = process.argv[3] === "tls";
const CLIENTS = 8;
const PAUSE_MILLIS = 25;
const PATIENCE_MILLIS = 10_000;

interface Step {
  readonly service: Service;
  readonly method: string;
  readonly path: string;
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
}

function send(step: Step, agent: Agent | false): Promise<number> {
  const headers = signedHeaders(step);
  if (step.body !== undefined || step.method === "PUT")
    headers["Content-Length"] = String(step.body?.length ?? 0);
  return new Promise((resolve) => {
    const outgoing = (isSecure ? requestSecurely : request)({
      host: "127.0.0.1",
      rejectUnauthorized: false,
      port: ports[step.service],
      method: step.method,
      path: targetOf(step),
      headers,
      agent,
      timeout: PATIENCE_MILLIS,
    });
    outgoing.on("timeout", () => outgoing.destroy());
    outgoing.on("error", () => resolve(0));
    outgoing.on("response", (incoming) => {
      incoming.resume();
      incoming.on("end", () => resolve(incoming.statusCode ?? 0));
      incoming.on("error", () => resolve(0));
    });
    outgoing.end(step.body);
  });
}

const payload = Buffer.alloc(1_024, "h");
const message = Buffer.from("<QueueMessage><MessageText>honest</MessageText></QueueMessage>");
const stepsOf = (client: number): Step[] => [
  {
    service: "blob",
    method: "PUT",
    path: `/honest/b${client}`,
    headers: { "x-ms-blob-type": "BlockBlob" },
    body: payload,
  },
  { service: "blob", method: "GET", path: `/honest/b${client}` },
  { service: "queue", method: "POST", path: "/honest/messages", query: { messagettl: "5" }, body: message },
  { service: "table", method: "GET", path: "/honest(PartitionKey='p',RowKey='r')" },
];

let window: number[] = [];
let errors = 0;

const keptAgent = (): Agent => new (isSecure ? SecureAgent : Agent)({ keepAlive: true, maxSockets: 1 });

async function live(client: number): Promise<void> {
  const agent = client % 2 === 0 ? keptAgent() : false;
  const steps = stepsOf(client);
  for (let turn = 0; ; turn++) {
    const start = monotonic();
    const status = await send(steps[turn % steps.length]!, agent);
    window.push(monotonic() - start);
    if (status === 0 || status >= 400) errors++;
    await pause(PAUSE_MILLIS);
  }
}

async function prepare(): Promise<void> {
  const json = { "Content-Type": "application/json" };
  const entity = Buffer.from('{"PartitionKey":"p","RowKey":"r","text":"x"}');
  const steps: Step[] = [
    { service: "blob", method: "PUT", path: "/honest", query: { restype: "container" } },
    { service: "queue", method: "PUT", path: "/honest" },
    {
      service: "table",
      method: "POST",
      path: "/Tables",
      headers: json,
      body: Buffer.from('{"TableName":"honest"}'),
    },
    { service: "table", method: "POST", path: "/honest", headers: json, body: entity },
  ];
  for (const step of steps) {
    const status = await send(step, false);
    if (status === 0 || status >= 300) throw new Error(`${step.method} ${step.path}: ${status}`);
  }
}

await prepare();
for (let client = 0; client < CLIENTS; client++) void live(client);
process.stdout.write("ready\n");

function statsOf(sample: readonly number[]): object {
  const sorted = sample.toSorted((one, other) => one - other);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, errors, p50: at(0.5), p99: at(0.99), max: at(1) };
}

const calm: number[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  const isAll = line === "all calm";
  if (line === "calm") calm.push(...window);
  process.stdout.write(`${JSON.stringify(statsOf(isAll ? calm : window))}\n`);
  if (isAll) continue;
  window = [];
  errors = 0;
}
process.exit(0);
