import { Agent, request as send } from "node:http";
import { MIB } from "../src/base/limits.ts";
import { bareFiles } from "./bare-files.ts";
import type { Measured } from "./load.ts";
import type { Contender } from "./servers.ts";
import { type PlainRequest, signedHeaders, targetOf } from "./sign.ts";

/**
 * Large bodies, measured in MB a second. All contenders are driven by the same client over as many connections; the
 * bare server of these rows keeps files, and syncs them.
 */
export interface RunOptions {
  readonly connections: number;
  readonly seconds: number;
}

/** What came of one request: its status, and the bytes of payload that it moved. */
export interface Transferred {
  readonly status: number;
  readonly bytes: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const PATTERN = Buffer.alloc(1 * MIB, "holdfast");

/** Sends one request and reads the reply away; the body is told by its length only, and made on the way. */
export function transfer(port: number, request: PlainRequest, bodyBytes = 0): Promise<Transferred> {
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

/** The same, counting what was sent and not the reply. */
export async function upload(port: number, request: PlainRequest, bytes: number): Promise<Transferred> {
  const { status } = await transfer(port, request, bytes);
  return { status, bytes };
}

/** What is signed of a body is its length. */
function lengthOnly(bytes: number): { readonly body?: Buffer } {
  return bytes === 0 ? {} : { body: { length: bytes } as Buffer };
}

export interface Transfers {
  readonly service: "blob" | "file";
  /** What must be there first; made once for each server. */
  readonly prepare: (port: number) => Promise<void>;
  readonly one: (port: number, turn: number) => Promise<Transferred>;
  /** How many run side by side, each on a connection of its own. */
  readonly parallel?: number;
}

const made = new WeakMap<Contender, Set<string>>();

/** MB a second of a transfer that is made again and again, `parallel` at a time. */
export async function throughput(
  contender: Contender,
  { seconds }: RunOptions,
  { service, prepare, one, parallel = 1 }: Transfers,
): Promise<Measured> {
  const port = contender.name === "bare" ? (await bareFiles()).port : contender.ports[service];
  const known = made.get(contender) ?? new Set();
  made.set(contender, known);
  if (!known.has(service)) await prepare(port);
  known.add(service);
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
