import { Agent, request as send } from "node:http";
import { MIB } from "../../src/base/limits.ts";
import { bareFiles } from "../bare-files.ts";
import { converse } from "../converse.ts";
import type { Measured } from "../load.ts";
import type { Row } from "../rows.ts";
import type { Contender } from "../servers.ts";
import { type PlainRequest, signed, signedHeaders, targetOf } from "../sign.ts";

/** Large blobs, in MB a second, and long listings. The bare server of these rows keeps files, and syncs them. */
interface RunOptions {
  readonly connections: number;
  readonly seconds: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const PATTERN = Buffer.alloc(1 * MIB, "holdfast");

/** Sends one request and reads the reply away; the body is told by its length only, and made on the way. */
function transfer(
  port: number,
  request: PlainRequest,
  bodyBytes = 0,
): Promise<{ status: number; bytes: number }> {
  const headers: Record<string, string> = { ...signedHeaders({ ...request, ...lengthOnly(bodyBytes) }) };
  if (request.method !== "GET") headers["Content-Length"] = String(bodyBytes);
  return new Promise((resolve, reject) => {
    const path = targetOf(request);
    const outgoing = send(
      { port, host: "127.0.0.1", method: request.method, path, headers, agent },
      (reply) => {
        let bytes = 0;
        reply.on("data", (piece: Buffer) => {
          bytes += piece.length;
        });
        reply.on("end", () => resolve({ status: reply.statusCode ?? 0, bytes }));
      },
    );
    outgoing.on("error", reject);
    let left = bodyBytes;
    const more = (): void => {
      while (left > 0) {
        const piece = left >= PATTERN.length ? PATTERN : PATTERN.subarray(0, left);
        left -= piece.length;
        if (!outgoing.write(piece)) {
          outgoing.once("drain", more);
          return;
        }
      }
      outgoing.end();
    };
    more();
  });
}

/** What is signed of a body is its length. */
function lengthOnly(bytes: number): { readonly body?: Buffer } {
  return bytes === 0 ? {} : { body: { length: bytes } as Buffer };
}

async function portOf(contender: Contender): Promise<number> {
  return contender.name === "bare" ? (await bareFiles()).port : contender.ports.blob;
}

const made = new WeakSet<Contender>();

async function ready(contender: Contender, port: number): Promise<void> {
  if (made.has(contender)) return;
  made.add(contender);
  await transfer(port, { method: "PUT", path: "/bench", query: { restype: "container" } });
  await transfer(port, { method: "PUT", path: "/bench/large", headers: BLOCK_BLOB }, 64 * MIB);
}

const BLOCK_BLOB = { "x-ms-blob-type": "BlockBlob" };

/** MB a second of a transfer that is made again and again, `parallel` at a time. */
async function throughput(
  contender: Contender,
  { seconds }: RunOptions,
  one: (port: number, turn: number) => Promise<{ status: number; bytes: number }>,
  parallel = 1,
): Promise<Measured> {
  const port = await portOf(contender);
  await ready(contender, port);
  const start = performance.now();
  const took: number[] = [];
  let [bytes, errors, turn] = [0, 0, 0];
  while (performance.now() - start < seconds * 1_000) {
    const begun = performance.now();
    const replies = await Promise.all(Array.from({ length: parallel }, () => one(port, turn++)));
    for (const reply of replies) {
      bytes += reply.bytes;
      if (reply.status >= 300) errors++;
    }
    took.push(performance.now() - begun);
  }
  took.sort((a, b) => a - b);
  const perSecond = bytes / 1e6 / ((performance.now() - start) / 1_000);
  return { perSecond, errors, p50Millis: took[took.length >>> 1]!, p99Millis: took.at(-1)! };
}

const uploaded = async (bytes: number, sending: Promise<{ status: number }>) => ({
  ...(await sending),
  bytes,
});

const LISTED = Number(process.env.HOLDFAST_BENCH_BLOBS ?? 1_000_000);
const nameOf = (index: number): string => `n${String(index).padStart(8, "0")}`;

async function fillWithBlobs(contender: Contender): Promise<void> {
  const port = contender.ports.blob;
  await transfer(port, { method: "PUT", path: "/many", query: { restype: "container" } });
  let next = 0;
  await converse({
    port,
    connections: 64,
    seconds: FILL_SECONDS_MAX,
    request: () => {
      if (next >= LISTED) return undefined;
      return signed({ method: "PUT", path: `/many/${nameOf(next++)}`, headers: BLOCK_BLOB }, port);
    },
  });
}

const FILL_SECONDS_MAX = 3_600;
const filled = new WeakSet<Contender>();

/** Pages of 5,000 at the start, in the middle and at the end; their times must be alike. */
async function listMany(contender: Contender, { seconds }: RunOptions): Promise<Measured> {
  const port = contender.ports.blob;
  const list = (prefix: string): PlainRequest => ({
    method: "GET",
    path: "/many",
    query: { restype: "container", comp: "list", maxresults: "5000", ...(prefix === "" ? {} : { prefix }) },
  });
  if (contender.name !== "bare" && !filled.has(contender)) {
    filled.add(contender);
    await fillWithBlobs(contender);
  }
  const places = { start: 0, middle: Math.floor(LISTED / 2), end: LISTED - 10_000 };
  const medians: string[] = [];
  const all: number[] = [];
  let errors = 0;
  for (const [place, index] of Object.entries(places)) {
    const took: number[] = [];
    const end = performance.now() + (seconds * 1_000) / 3;
    do {
      const begun = performance.now();
      // Ten thousand names share these characters: a full page, wherever it lies.
      const { status } = await transfer(port, list(nameOf(index).slice(0, 5)));
      if (status !== 200) errors++;
      took.push(performance.now() - begun);
    } while (performance.now() < end);
    took.sort((a, b) => a - b);
    medians.push(`${place} ${took[took.length >>> 1]!.toFixed(1)} ms`);
    all.push(...took);
  }
  console.log(`  ${contender.name}: ${medians.join(", ")}`);
  all.sort((a, b) => a - b);
  const p50Millis = all[all.length >>> 1]!;
  return { perSecond: 1_000 / p50Millis, errors, p50Millis, p99Millis: all.at(-1)! };
}

const large = { service: "blob", replyBytes: 0, azurite: true, requests: () => [] } as const;

export const LARGE_BLOB_ROWS: readonly Row[] = [
  {
    ...large,
    name: "GET blob 64 MiB (MB/s)",
    target: { ofBare: 0.8, overAzurite: 3 },
    run: (contender, options) =>
      throughput(contender, options, (port) => transfer(port, { method: "GET", path: "/bench/large" })),
  },
  {
    ...large,
    name: "PUT blob 256 MiB (MB/s)",
    target: { ofBare: 0.8, overAzurite: 3 },
    run: (contender, options) =>
      throughput(contender, options, (port, turn) =>
        uploaded(
          256 * MIB,
          transfer(port, { method: "PUT", path: `/bench/up-${turn % 2}`, headers: BLOCK_BLOB }, 256 * MIB),
        ),
      ),
  },
  {
    ...large,
    name: "Put Block 8 MiB, 32 at once (MB/s)",
    target: { ofBare: 0.8, overAzurite: 3 },
    run: (contender, options) =>
      throughput(
        contender,
        options,
        (port, turn) => {
          const blockid = Buffer.from(String(turn % 32).padStart(6, "0")).toString("base64");
          const query = { comp: "block", blockid };
          return uploaded(8 * MIB, transfer(port, { method: "PUT", path: "/bench/blocks", query }, 8 * MIB));
        },
        32,
      ),
  },
  {
    ...large,
    name: "list 5,000 of 1 million blobs (pages/s)",
    azurite: false,
    replyBytes: 4_300_000,
    target: { ofBare: 0.02 },
    run: listMany,
  },
];
