import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Drives a server with ready-made requests over many connections and counts the replies. wrk when it is there
 * (it leaves more of the machine to the server), otherwise a generator of our own.
 */
export interface Load {
  readonly port: number;
  /** Whole HTTP/1.1 requests; each connection goes through them in turn, all connections together. */
  readonly requests: readonly Buffer[];
  readonly connections: number;
  readonly seconds: number;
}

export interface Measured {
  readonly perSecond: number;
  /** Requests that were answered, where they are counted: a run takes a little longer than it was told to. */
  readonly requests?: number;
  readonly errors: number;
  readonly p50Millis: number;
  readonly p99Millis: number;
}

let foundWrk: boolean | undefined;

/** Looked for at the first question: the bench may have installed it by then. */
export function hasWrk(): boolean {
  foundWrk ??= spawnSync("wrk", ["--version"]).error === undefined;
  return foundWrk;
}

export function drive(load: Load): Promise<Measured> {
  return hasWrk() ? driveWithWrk(load) : driveFromHere(load);
}

async function driveWithWrk({ port, requests, connections, seconds }: Load): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    writeFileSync(
      join(folder, "requests.bin"),
      Buffer.concat(requests.flatMap((request) => [lengthOf(request), request])),
    );
    writeFileSync(join(folder, "load.lua"), WRK_SCRIPT.replace("REQUESTS", join(folder, "requests.bin")));
    const output = await outputOf("wrk", [
      "-t1",
      `-c${connections}`,
      `-d${seconds}s`,
      "--latency",
      "-s",
      join(folder, "load.lua"),
      `http://127.0.0.1:${port}/`,
    ]);
    return readWrk(output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function lengthOf(request: Buffer): Buffer {
  return Buffer.from(request.length.toString().padStart(8, "0"));
}

const WRK_SCRIPT = `
local requests = {}
local file = io.open("REQUESTS", "rb")
while true do
  local length = file:read(8)
  if length == nil then break end
  requests[#requests + 1] = file:read(tonumber(length))
end
file:close()
local count = #requests
local at = 0
request = function()
  at = at + 1
  if at > count then at = 1 end
  return requests[at]
end
`;

function outputOf(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (piece: Buffer) => {
      output += piece.toString();
    });
    child.on("error", reject);
    child.on("exit", (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${command} ended with ${code}: ${output}`)),
    );
  });
}

function readWrk(output: string): Measured {
  const figure = (pattern: RegExp): string | undefined => pattern.exec(output)?.[1];
  const refused = Number(figure(/Non-2xx or 3xx responses: (\d+)/) ?? 0);
  const socketErrors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output);
  const broken =
    socketErrors === null ? 0 : socketErrors.slice(1).reduce((sum, text) => sum + Number(text), 0);
  return {
    perSecond: Number(figure(/Requests\/sec:\s+([\d.]+)/) ?? 0),
    requests: Number(figure(/(\d+) requests in/) ?? 0),
    errors: refused + broken,
    p50Millis: millisOf(figure(/50%\s+([\d.]+\w+)/)),
    p99Millis: millisOf(figure(/99%\s+([\d.]+\w+)/)),
  };
}

function millisOf(text: string | undefined): number {
  const parts = /^([\d.]+)(us|ms|s)$/.exec(text ?? "");
  if (parts === null) return Number.NaN;
  return Number(parts[1]) * { us: 0.001, ms: 1, s: 1_000 }[parts[2] as "us" | "ms" | "s"];
}

/** One request at a time on each connection; replies are told apart by their Content-Length. */
async function driveFromHere({ port, requests, connections, seconds }: Load): Promise<Measured> {
  const latencies: number[] = [];
  let errors = 0;
  let at = 0;
  const end = performance.now() + seconds * 1_000;
  const start = performance.now();
  const connection = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      let pending = Buffer.alloc(0);
      let sentAt = 0;
      const next = (): void => {
        if (performance.now() >= end) {
          socket.destroy();
          return;
        }
        sentAt = performance.now();
        socket.write(requests[at++ % requests.length]!);
      };
      socket.on("connect", next);
      socket.on("data", (piece) => {
        pending = pending.length === 0 ? piece : Buffer.concat([pending, piece]);
        const status = wholeReply(pending);
        if (status === undefined) return;
        pending = Buffer.alloc(0);
        if (status >= 400) errors++;
        latencies.push(performance.now() - sentAt);
        next();
      });
      socket.on("error", () => errors++);
      socket.on("close", () => resolve());
    });
  await Promise.all(Array.from({ length: connections }, connection));
  const elapsed = (performance.now() - start) / 1_000;
  latencies.sort((a, b) => a - b);
  const quantile = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    perSecond: latencies.length / elapsed,
    errors,
    p50Millis: quantile(0.5),
    p99Millis: quantile(0.99),
  };
}

/** The status of a reply that is there whole. */
export function wholeReply(bytes: Buffer): number | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = bytes.toString("latin1", 0, end).toLowerCase();
  const length = /content-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined && bytes.length < end + 4 + Number(length)) return undefined;
  if (
    length === undefined &&
    head.includes("chunked") &&
    !bytes.subarray(-5).equals(Buffer.from("0\r\n\r\n"))
  ) {
    return undefined;
  }
  return Number(head.slice(9, 12));
}
