import { ConfigError } from "../base/config-error.ts";
import { openLog } from "../observability/log.ts";
import { connectionString } from "../services/account/accounts.ts";
import { reachableAddress } from "./endpoints.ts";
import { readCommandLine } from "./options.ts";
import { run } from "./run.ts";

/**
 * Holdfast inside another program, mostly a test:
 *
 *   const holdfast = await startHoldfast();
 *   const blobs = BlobServiceClient.fromConnectionString(holdfast.connectionString);
 *   ...
 *   await holdfast.close();
 *
 * The types of this file are all that the package publishes, so they name nothing outside of it.
 */
export interface StartOptions {
  /** The data directory; without it, data is in memory. */
  readonly directory?: string;
  /** Ports of the listeners; the others are free ones. */
  readonly ports?: Readonly<Partial<Record<ListenerName, number>>>;
  /** More flags of the command line, such as ["--loose"]. */
  readonly flags?: readonly string[];
  /** `name:key1[:key2];...`, the format of HOLDFAST_ACCOUNTS. */
  readonly accounts?: string;
  /** The program may end without `close`: the server does not keep its process alive. */
  readonly unref?: boolean;
}

export type ListenerName = "blob" | "queue" | "table" | "file" | "smb" | "admin";

/** One account, and where its services are: `http://127.0.0.1:54321/devstoreaccount1`. */
export interface HoldfastAccount {
  readonly accountName: string;
  readonly accountKey: string;
  readonly connectionString: string;
  readonly endpoints: Readonly<Record<"blob" | "queue" | "table" | "file", string>>;
}

/** The fields of the first account, and of the server. */
export interface Holdfast extends HoldfastAccount {
  readonly accounts: readonly HoldfastAccount[];
  readonly ports: Readonly<Record<ListenerName, number>>;
  /** `smb://127.0.0.1:54321`; the user is the account's name, the password its key. */
  readonly smbEndpoint: string;
  /** Health and metrics, without a login. */
  readonly adminEndpoint: string;
  /** Removes all data and service properties of all accounts. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

const LISTENERS: readonly ListenerName[] = ["blob", "queue", "table", "file", "admin", "smb"];

export async function startHoldfast({
  directory,
  ports: wanted = {},
  flags = [],
  accounts: accountList,
  unref = false,
}: StartOptions = {}): Promise<Holdfast> {
  const place = directory === undefined ? ["--inMemory"] : ["--location", directory, "--allowReset"];
  const portFlags = LISTENERS.flatMap((name) => [`--${name}Port`, String(wanted[name] ?? 0)]);
  const commandLine = readCommandLine({
    argv: [...place, ...portFlags, "--silent", ...flags],
    env: accountList === undefined ? {} : { HOLDFAST_ACCOUNTS: accountList },
    cwd: process.cwd(),
    version: "library",
  });
  if (commandLine.kind !== "serve") throw new ConfigError("--help and --version are for the command line");
  const { options } = commandLine;
  // Workers are copies of the program that was started.
  if (options.workers > 1) throw new ConfigError("--workers", "expected 1 inside another program");
  const running = await run({
    options,
    log: openLog({ level: options.logLevel }),
    onFatal: (error) => {
      throw error;
    },
  });
  if (unref) running.unref();
  const { ports } = running;
  const web = options.certificate === undefined ? "http" : "https";
  const at = (name: ListenerName, scheme: string): string =>
    reachableAddress(scheme, options.addresses[name].host, ports[name]);
  const services = {
    blob: at("blob", web),
    queue: at("queue", web),
    table: at("table", web),
    file: at("file", web),
  };
  const accounts = options.accounts.map((account): HoldfastAccount => {
    const { name, keys } = account;
    const of = (service: keyof typeof services): string => `${services[service]}/${name}`;
    return {
      accountName: name,
      accountKey: keys[0]!.toString("base64"),
      connectionString: connectionString(account, services),
      endpoints: { blob: of("blob"), queue: of("queue"), table: of("table"), file: of("file") },
    };
  });
  return {
    ...accounts[0]!,
    accounts,
    ports,
    smbEndpoint: at("smb", "smb"),
    adminEndpoint: at("admin", "http"),
    reset: () => running.reset(),
    close: () => running.close(),
  };
}

/** The hooks of a test runner: `node:test`, Vitest, `@jest/globals`, or Jest's `globalThis`. */
export interface TestHooks {
  readonly before?: ((hook: () => Promise<void>) => unknown) | undefined;
  readonly beforeAll?: ((hook: () => Promise<void>) => unknown) | undefined;
  readonly after?: ((hook: () => Promise<void>) => unknown) | undefined;
  readonly afterAll?: ((hook: () => Promise<void>) => unknown) | undefined;
  readonly beforeEach: (hook: () => Promise<void>) => unknown;
}

export interface UseOptions extends StartOptions {
  /** Without it, each test finds an empty server. */
  readonly keepData?: boolean;
}

/**
 * A server for the tests of a file or a suite, which the hooks of the runner start, empty and close:
 *
 *   import * as runner from "node:test";
 *   const holdfast = useHoldfast(runner);
 *   runner.test("...", async () => { ... holdfast.connectionString ... });
 */
export function useHoldfast(hooks: TestHooks, { keepData = false, ...options }: UseOptions = {}): Holdfast {
  const [before, after] = [hooks.before ?? hooks.beforeAll, hooks.after ?? hooks.afterAll];
  if (before === undefined || after === undefined)
    throw new TypeError("expected the hooks of a test runner: before or beforeAll, after or afterAll");
  let started: Holdfast | undefined;
  const server = (): Holdfast => {
    if (started === undefined) throw new Error("Holdfast runs during tests: read its fields inside one");
    return started;
  };
  before(async () => {
    started = await startHoldfast(options);
  });
  after(async () => {
    await started?.close();
    started = undefined;
  });
  if (!keepData) hooks.beforeEach(() => server().reset());
  return {
    get accountName() {
      return server().accountName;
    },
    get accountKey() {
      return server().accountKey;
    },
    get connectionString() {
      return server().connectionString;
    },
    get endpoints() {
      return server().endpoints;
    },
    get accounts() {
      return server().accounts;
    },
    get ports() {
      return server().ports;
    },
    get smbEndpoint() {
      return server().smbEndpoint;
    },
    get adminEndpoint() {
      return server().adminEndpoint;
    },
    reset: () => server().reset(),
    close: () => server().close(),
  };
}
