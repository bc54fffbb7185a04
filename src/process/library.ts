import { openLog } from "../observability/log.ts";
import { connectionString } from "../services/account/accounts.ts";
import { readCommandLine } from "./options.ts";
import { run } from "./run.ts";

/**
 * Holdfast inside another program, mostly a test:
 *
 *   const holdfast = await startHoldfast();
 *   const blobs = BlobServiceClient.fromConnectionString(holdfast.connectionString);
 *   ...
 *   await holdfast.close();
 */
export interface StartOptions {
  /** The data directory; without it, data is in memory. */
  readonly directory?: string;
  /** More flags of the command line, such as ["--loose"]. Without port flags, ports are free ones. */
  readonly flags?: readonly string[];
  /** `name:key1[:key2];...`, the format of HOLDFAST_ACCOUNTS. */
  readonly accounts?: string;
}

export interface Holdfast {
  readonly account: string;
  readonly connectionString: string;
  readonly endpoints: {
    readonly blob: string;
    readonly queue: string;
    readonly table: string;
    readonly file: string;
    readonly admin: string;
  };
  close(): Promise<void>;
}

export async function startHoldfast({
  directory,
  flags = [],
  accounts,
}: StartOptions = {}): Promise<Holdfast> {
  const place = directory === undefined ? ["--inMemory"] : ["--location", directory];
  const ports = ["blob", "queue", "table", "file", "admin", "smb"].flatMap((name) => [`--${name}Port`, "0"]);
  const commandLine = readCommandLine({
    argv: [...place, ...ports, "--silent", ...flags],
    env: accounts === undefined ? {} : { HOLDFAST_ACCOUNTS: accounts },
    cwd: process.cwd(),
    version: "library",
  });
  if (commandLine.kind !== "serve") throw new Error("--help and --version are for the command line");
  const { options } = commandLine;
  const running = await run({
    options,
    log: openLog({ level: options.logLevel }),
    onFatal: (error) => {
      throw error;
    },
  });
  const scheme = options.certificate === undefined ? "http" : "https";
  const at = (name: keyof typeof running.ports): string =>
    `${name === "admin" ? "http" : scheme}://${options.addresses[name].host}:${running.ports[name]}`;
  const endpoints = {
    blob: at("blob"),
    queue: at("queue"),
    table: at("table"),
    file: at("file"),
    admin: at("admin"),
  };
  const account = options.accounts[0]!;
  return {
    account: account.name,
    connectionString: connectionString(account, endpoints),
    endpoints,
    close: () => running.close(),
  };
}
