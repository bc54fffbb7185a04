import { connect, type Socket } from "node:net";
import { MIB } from "../src/base/limits.ts";
import { bareFiles } from "./bare-files.ts";
import type { Measured } from "./load.ts";
import type { Contender } from "./servers.ts";
import { type PlainRequest, signedHeaders, targetOf } from "./sign.ts";

/**
 * Large bodies, measured in MB a second. All contenders are driven by the same client over as many
 * connections; the bare server of these rows keeps files, and syncs them.
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

const PATTERN = Buffer.alloc(1 * MIB, "holdfast");
const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

/** Connections that wait for their next request, by port. */
const idle = new Map<number, Line[]>();

/** Sends one request and reads the reply away; the body is told by its length only, and made on the way. */
export async function transfer(port: number, request: PlainRequest, bodyBytes = 0): Promise<Transferred> {
  if (!idle.has(port)) idle.set(port, []);
  const line = idle.get(port)!.pop() ?? new Line(port);
  const replied = await line.ask(headOf(port, request, bodyBytes), bodyBytes);
  idle.get(port)!.push(line);
  return replied;
}

function headOf(port: number, request: PlainRequest, bodyBytes: number): string {
  const headers = Object.entries(signedHeaders({ ...request, ...lengthOnly(bodyBytes) }));
  if (request.method !== "GET") headers.push(["Content-Length", String(bodyBytes)]);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `${request.method} ${targetOf(request)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${lines}\r\n`;
}

/**
 * One connection, one request at a time. It reads into the same memory again and again and looks at no byte
 * of a body: node:http as a client needs more of the machine than the servers it would measure.
 */
class Line {
  readonly #socket: Socket;
  #settle: { resolve(replied: Transferred): void; reject(error: Error): void } | undefined;
  #head = "";
  #status = 0;
  /** Bytes of the body that have come, and that will; undefined when only its last chunk tells. */
  #bytes = 0;
  #length: number | undefined;
  #tail: Buffer = Buffer.alloc(0);

  constructor(port: number) {
    const onread = {
      buffer: Buffer.allocUnsafe(1 * MIB),
      callback: (count: number, memory: Uint8Array): boolean => {
        this.#take(memory.subarray(0, count));
        return true;
      },
    };
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true, onread });
    this.#socket.on("error", (error) => this.#settle?.reject(error));
    this.#socket.on("close", () => {
      idle.set(port, idle.get(port)?.filter((line) => line !== this) ?? []);
      this.#settle?.reject(new Error("the server closed the connection"));
    });
    this.#socket.unref();
  }

  ask(head: string, bodyBytes: number): Promise<Transferred> {
    this.#socket.ref();
    this.#head = "";
    this.#status = 0;
    this.#bytes = 0;
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(head);
      let left = bodyBytes;
      const more = (): void => {
        while (left > 0) {
          const piece = left >= PATTERN.length ? PATTERN : PATTERN.subarray(0, left);
          left -= piece.length;
          if (!this.#socket.write(piece) && left > 0) {
            this.#socket.once("drain", more);
            return;
          }
        }
      };
      more();
    });
  }

  #take(piece: Uint8Array): void {
    const body = this.#status === 0 ? this.#takeHead(Buffer.from(piece)) : piece;
    if (body === undefined) return;
    this.#bytes += body.length;
    if (this.#length === undefined) {
      this.#tail = Buffer.concat([this.#tail, body.subarray(-LAST_CHUNK.length)]).subarray(
        -LAST_CHUNK.length,
      );
      if (this.#tail.equals(LAST_CHUNK)) this.#end();
    } else if (this.#bytes >= this.#length) {
      this.#end();
    }
  }

  /** What of the body came with the end of the head; undefined before. */
  #takeHead(piece: Buffer): Buffer | undefined {
    this.#head += piece.latin1Slice();
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0) return undefined;
    const head = this.#head.slice(0, end);
    const status = Number(head.slice(9, 12));
    const rest = Buffer.from(this.#head.slice(end + HEAD_END.length), "latin1");
    if (status === 100) {
      this.#head = "";
      return rest.length === 0 ? undefined : this.#takeHead(rest);
    }
    this.#status = status;
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    this.#length = length === undefined ? undefined : Number(length);
    this.#tail = Buffer.alloc(0);
    return rest;
  }

  #end(): void {
    this.#socket.unref();
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.resolve({ status: this.#status, bytes: this.#bytes });
  }
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
