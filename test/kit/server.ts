import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock, type Timers } from "../../src/base/clock.ts";
import { type Log, silentLog } from "../../src/observability/log.ts";
import { type Options, readCommandLine } from "../../src/process/options.ts";
import { Runtime } from "../../src/process/runtime.ts";
import { type Server, startServer } from "../../src/process/server.ts";
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from "../../src/services/account/account-list.ts";
import { displayConnectionString } from "../../src/services/account/accounts.ts";
import { check } from "../../src/services/integrity/check.ts";
import { freshSchema } from "./postgres.ts";

/** A whole server for tests: free ports, a temporary directory, and a clock that a test moves. */
export type Engine = "memory" | "embedded" | "postgres";

/**
 * Which engines a behaviour suite runs over; `HOLDFAST_TEST_ENGINES` names others than the two that need no
 * server.
 */
export const ENGINES: readonly Engine[] = (process.env.HOLDFAST_TEST_ENGINES ?? "memory,embedded").split(
  ",",
) as Engine[];

export interface TestServer {
  readonly engine: Engine;
  readonly account: string;
  readonly key: string;
  readonly connectionString: string;
  readonly endpoints: Readonly<Record<"blob" | "queue" | "table" | "file", string>>;
  readonly clock: ManualClock;
  readonly runtime: Runtime;
  readonly server: Server;
  /** Stops and starts again on the same data (not in memory). */
  restart(): Promise<TestServer>;
  close(): Promise<void>;
}

export interface TestServerOptions {
  readonly engine?: Engine;
  /** More flags, as typed on the command line. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly log?: Log;
  /** In place of the system's name servers, for the sources of copies. */
  readonly resolveName?: (name: string) => Promise<readonly string[]>;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { engine = ENGINES[0] ?? "memory" } = options;
  // Signed requests carry the real time, so the clock starts there and is moved from there.
  return open(options, await makePlace(engine), new ManualClock(Date.now()));
}

/** Where the data of one server is, and what removes it. */
interface Place {
  readonly engine: Engine;
  readonly flags: readonly string[];
  remove(): Promise<void>;
}

async function makePlace(engine: Engine): Promise<Place> {
  if (engine === "memory") return { engine, flags: ["--inMemory"], remove: async () => {} };
  if (engine === "postgres") {
    const { address, drop } = await freshSchema();
    return { engine, flags: ["--store", address], remove: drop };
  }
  const parent = mkdtempSync(join(tmpdir(), "holdfast-test-"));
  const directory = join(parent, "data");
  return {
    engine,
    flags: ["--location", directory],
    remove: async () => rmSync(parent, { recursive: true, force: true }),
  };
}

/** Chores are run by the tests that are about them, step by step, and by nobody else. */
const NEVER: Timers = { after: () => ({ cancel() {} }), every: () => ({ cancel() {} }) };

/** Each start is another process to what the one before left behind. */
let opened = 0;

async function open(options: TestServerOptions, place: Place, clock: ManualClock): Promise<TestServer> {
  const { log = silentLog } = options;
  const { engine } = place;
  const parsed = readOptions(options, place);
  const onFatal = (error: unknown): void => {
    throw error;
  };
  const runtime = new Runtime({
    choice: parsed.store,
    owner: `test-${++opened}`,
    log,
    onFatal,
    clock,
    jobTimers: NEVER,
  });
  await runtime.recoverAll();
  await runtime.start();
  const { resolveName } = options;
  const server = await startServer({ options: parsed, runtime, log, resolveName });
  const scheme = parsed.certificate === undefined ? "http" : "https";
  const at = (name: keyof typeof server.ports): string => `${scheme}://127.0.0.1:${server.ports[name]}`;
  const endpoints = { blob: at("blob"), queue: at("queue"), table: at("table"), file: at("file") };
  const stop = async (): Promise<void> => {
    await server.close();
    if (process.env.HOLDFAST_TEST_CHECK === "1") await checkStored(runtime);
    await runtime.close();
  };
  return {
    engine,
    account: WELL_KNOWN_ACCOUNT,
    key: WELL_KNOWN_KEY,
    connectionString: displayConnectionString(parsed.accounts[0]!, endpoints),
    endpoints,
    clock,
    runtime,
    server,
    restart: async () => {
      await stop();
      return open(options, place, clock);
    },
    close: async () => {
      await stop();
      await place.remove();
    },
  };
}

/** With HOLDFAST_TEST_CHECK=1: what a test leaves behind agrees as `holdfast check` understands it. */
async function checkStored({ payload }: Runtime): Promise<void> {
  const { findings } = await check(payload, () => {});
  assert.deepEqual(
    findings.map(({ kind, what, key, message }) => ({ kind, what, key, message })),
    [],
  );
}

function readOptions({ flags = [], env = {} }: TestServerOptions, place: Place): Options {
  const ports = ["blob", "queue", "table", "file", "admin", "smb"].flatMap((name) => [`--${name}Port`, "0"]);
  const argv = [...place.flags, ...ports, "--silent", ...flags];
  const commandLine = readCommandLine({ argv, env, cwd: process.cwd(), version: "test" });
  if (commandLine.kind !== "serve") throw new Error("the flags of a test server must serve");
  return commandLine.options;
}
