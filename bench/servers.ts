import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasAzurite, launchAzurite } from "../test/support/azurite.ts";

/** One of the servers that are compared, each a process of its own; "base" is an older build of Holdfast. */
export interface Contender {
  readonly name: "bare" | "holdfast" | "base" | "azurite";
  readonly ports: Readonly<Record<"blob" | "queue" | "table" | "file", number>>;
  /** Of Holdfast: the process that serves. */
  readonly pid?: number;
  stop(): Promise<void>;
}

const CLOCK_TICK_MILLIS = 10;

/** User and system time of all threads of a process so far; undefined where the system does not show it. */
export function cpuMillisOf(pid: number | undefined): number | undefined {
  const path = `/proc/${pid}/stat`;
  if (pid === undefined || !existsSync(path)) return undefined;
  // The name of the program, in parentheses, may contain spaces.
  const fields = readFileSync(path, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MILLIS;
}

/** The baseline: accepts the request, reads its body, answers with the requested number of bytes. */
const BARE = `
const server = require("node:http").createServer((message, response) => {
  const bytes = Number(message.headers["x-bench-reply-bytes"] ?? process.argv[1]);
  const reply = () => {
    response.writeHead(200, { "content-type": "application/xml", "content-length": String(bytes) });
    response.end("x".repeat(bytes));
  };
  if (message.method === "GET") { reply(); return; }
  message.on("data", () => {});
  message.on("end", reply);
});
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ port: server.address().port })));
process.on("SIGTERM", () => process.exit(0));
`;

export async function startBare(replyBytes: number): Promise<Contender> {
  const child = spawn(process.execPath, ["-e", BARE, String(replyBytes)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { port } = JSON.parse(await firstLine(child)) as { port: number };
  return {
    name: "bare",
    ports: { blob: port, queue: port, table: port, file: port },
    stop: () => stop(child),
  };
}

export interface Launch {
  readonly flags?: readonly string[];
  /** Path of the program; without it, that of this build. */
  readonly program?: string;
  readonly name?: "holdfast" | "base";
}

export async function startHoldfast({
  flags = [],
  program = "dist/cli/holdfast.js",
  name = "holdfast",
}: Launch = {}): Promise<Contender> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-data-"));
  const ports = ["blob", "queue", "table", "file", "admin", "smb"].flatMap((name) => [`--${name}Port`, "0"]);
  const child = spawn(
    process.execPath,
    [program, "--location", join(folder, "data"), ...ports, "--ready", "json", "--silent", ...flags],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const ready = JSON.parse(await firstLine(child)) as { ports: Contender["ports"] };
  return {
    name,
    ports: ready.ports,
    pid: child.pid!,
    stop: async () => {
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function startAzurite(): Promise<Contender | undefined> {
  if (!hasAzurite()) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-azurite-"));
  const { ports, stop } = await launchAzurite(folder);
  return {
    name: "azurite",
    ports: { ...ports, file: 0 },
    stop: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const end = text.indexOf("\n");
      if (end >= 0) resolve(text.slice(0, end));
    });
    child.on("exit", (code) => reject(new Error(`a server ended with ${code} before it was ready`)));
  });
}

export function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });
}
