import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from "../../src/services/account/account-list.ts";
import { connectionString } from "../../src/services/account/accounts.ts";

/** The real Azurite. It has a folder of its own, because Holdfast does not depend on it. */
const FOLDER = resolve(".cache/azurite");
const MAIN = join(FOLDER, "node_modules/azurite/dist/src/azurite.js");

/** Installs it from npm when it is missing; false when that is not possible. */
export function hasAzurite(): boolean {
  if (existsSync(MAIN)) return true;
  console.log(`installing Azurite into ${FOLDER}`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, "package.json"), '{ "private": true }\n');
  const install = ["install", "azurite@3", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const done = spawnSync("npm", install, { cwd: FOLDER, stdio: "inherit" });
  return done.status === 0 && existsSync(MAIN);
}

export interface Azurite {
  readonly ports: Readonly<Record<"blob" | "queue" | "table", number>>;
  readonly connectionString: string;
  /** Ends it; it writes its files before. */
  stop(): Promise<void>;
}

export async function launchAzurite(directory: string): Promise<Azurite> {
  const [blob, queue, table] = (await freePorts(3)) as [number, number, number];
  const flags = ["--location", directory, "--silent", "--skipApiVersionCheck", "--disableTelemetry"];
  const ports = ["--blobPort", `${blob}`, "--queuePort", `${queue}`, "--tablePort", `${table}`];
  const child = spawn(process.execPath, [MAIN, ...flags, ...ports], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const end = (): void => void child.kill("SIGKILL");
  process.once("exit", end);
  await untilListening([blob, queue, table]);
  const at = (port: number): string => `http://127.0.0.1:${port}`;
  const endpoints = { blob: at(blob), queue: at(queue), table: at(table), file: at(0) };
  const account = { name: WELL_KNOWN_ACCOUNT, keys: [Buffer.from(WELL_KNOWN_KEY, "base64")] };
  return {
    ports: { blob, queue, table },
    // It has no File service.
    connectionString: connectionString(account, endpoints).replace(/FileEndpoint=[^;]*;/, ""),
    stop: () =>
      new Promise((resolve) => {
        process.off("exit", end);
        if (child.exitCode !== null || child.signalCode !== null) resolve();
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function untilListening(ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    for (let tries = 0; ; tries++) {
      try {
        await fetch(`http://127.0.0.1:${port}/`);
        break;
      } catch (error) {
        if (tries > 300) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
}
