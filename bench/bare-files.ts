import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The yardstick for large bodies: node:http and the file system, nothing between. A PUT is on the disk when
 * it is answered, a GET streams the file.
 */
const SERVER = `
const fs = require("node:fs"), path = require("node:path"), { pipeline } = require("node:stream");
const folder = process.argv[1];
const fileOf = (url) => path.join(folder, encodeURIComponent(url).slice(0, 200));
const server = require("node:http").createServer((message, response) => {
  const file = fileOf(message.url);
  if (message.method === "GET") {
    const { size } = fs.statSync(file);
    response.writeHead(200, { "content-length": String(size) });
    pipeline(fs.createReadStream(file, { highWaterMark: 1048576 }), response, () => {});
    return;
  }
  const out = fs.createWriteStream(file, { highWaterMark: 4194304, flush: true });
  pipeline(message, out, (error) => {
    response.writeHead(error ? 500 : 201, { "content-length": "0" });
    response.end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.on("SIGTERM", () => process.exit(0));
`;

let running: Promise<{ readonly port: number }> | undefined;

/** One for the whole run; it ends with the process. */
export function bareFiles(): Promise<{ readonly port: number }> {
  running ??= start();
  return running;
}

async function start(): Promise<{ readonly port: number }> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-bare-"));
  const child: ChildProcess = spawn(process.execPath, ["-e", SERVER, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.on("exit", () => {
    child.kill("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  });
  child.unref();
  const port = await new Promise<number>((resolve) => {
    child.stdout!.once("data", (text: Buffer) => resolve(Number(text.toString())));
  });
  (child.stdout as unknown as { unref(): void }).unref();
  return { port };
}
