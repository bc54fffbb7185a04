import { isAbsolute, resolve } from "node:path";
import { CommanderError } from "commander";
import { ConfigError, UnsafeConfig } from "../base/config-error.ts";
import { ANY_SOURCE, type CopySources, PUBLIC_SOURCES } from "../base/copy-sources.ts";
import { MIB } from "../base/limits.ts";
import type { LogLevel } from "../observability/log.ts";
import {
  type AccountKeys,
  type AccountList,
  defaultAccounts,
  parseAccountsVariable,
} from "../services/account/account-list.ts";
import { isLoopback } from "../services/account/accounts.ts";
import { readAccountsFile } from "../services/account/accounts-file.ts";
import { parseDatabaseAddress } from "../store/postgres/address.ts";
import { type AzuriteService, onlyServiceOf } from "./azurite-compat.ts";
import { type Certificate, loadCertificate } from "./certificate.ts";
import { buildCommand, type FlagValues } from "./options-flags.ts";

/** Everything the operator decided, from the command line and the environment, checked and with defaults. */
export interface Options {
  readonly store: StoreChoice;
  /** Started by the name of Azurite's program for one service: only that one has its usual port. */
  readonly only: AzuriteService | undefined;
  readonly addresses: Readonly<Record<ListenerName, Address>>;
  /** How long an idle connection is kept, where it was said. */
  readonly keepAliveMillis: Readonly<Record<"blob" | "queue" | "table" | "file", number | undefined>>;
  readonly workers: number;
  /** How long requests may take to finish when the server is stopped. */
  readonly shutdownMillis: number;
  readonly certificate: Certificate | undefined;
  /** "basic": bearer tokens are taken and their claims checked. */
  readonly oauth: "basic" | undefined;
  /** Where copies and writes from URLs may be fetched from, beside this server itself. */
  readonly copySources: CopySources;
  /** Headers and parameters this build does not know are ignored rather than refused. */
  readonly isLoose: boolean;
  /** Blobs keep their versions. On Azure a setting of the account, made outside the protocol. */
  readonly isBlobVersioned: boolean;
  /**
   * Blobs of new containers may be put under immutability policies. On Azure a setting made outside the
   * protocol.
   */
  readonly hasVersionLevelImmutability: boolean;
  readonly shareRetentionDays: number;
  /** "required": an SMB client that cannot encrypt is refused. */
  readonly smbEncryption: "required" | "enabled";
  /** "enforced": Windows access lists are evaluated for every open over SMB. */
  readonly smbAccessLists: "shown" | "enforced";
  /** Named streams of files and directories. */
  readonly smbStreams: "refused" | "kept";
  /** False: only path-style addresses (`/account/...`). */
  readonly allowsHostStyle: boolean;
  readonly ready: "text" | "json";
  readonly isSilent: boolean;
  readonly logLevel: LogLevel;
  readonly debugFile: string | undefined;
  /** A path, "-" for stdout, or "off". */
  readonly accessLog: string;
  readonly accounts: readonly AccountKeys[];
  /** Set when the accounts came from a file that is to be watched; `text` is what was read. */
  readonly accountsFile: { readonly path: string; readonly text: string } | undefined;
  /** For the ready message: what was accepted but is unusual or has no effect. */
  readonly warnings: readonly string[];
}

export type StoreChoice =
  | { readonly kind: "memory"; readonly payloadBytesMax?: number }
  | { readonly kind: "embedded"; readonly directory: string }
  | { readonly kind: "postgres"; readonly address: string };

const LISTENERS = ["blob", "queue", "table", "file", "smb", "admin"] as const;
export type ListenerName = (typeof LISTENERS)[number];

export interface Address {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Nobody asked for this port: where it is taken, any free one does. */
  readonly givesWay?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandLineInput {
  /** Without the program's own name. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  readonly version: string;
  /** The name the program was started by, as a path. */
  readonly program?: string | undefined;
}

/** Either what to run, or a text to print and be done (`--help`, `--version`). */
export type CommandLine =
  | { readonly kind: "serve"; readonly options: Options }
  | { readonly kind: "print"; readonly text: string };

/** Throws `ConfigError` with one clear line. A flag outranks its environment variable. */
export function readCommandLine({ argv, env, cwd, version, program }: CommandLineInput): CommandLine {
  let printed = "";
  const command = buildCommand(version, env, (text) => {
    printed += text;
  });
  try {
    command.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: "print", text: printed };
    throw new ConfigError("command line", error.message.replace(/^error: /, ""));
  }
  const flags = command.opts<FlagValues>();
  const isGiven = (name: keyof FlagValues): boolean => {
    const source = command.getOptionValueSource(name);
    return source !== undefined && source !== "default";
  };
  return { kind: "serve", options: assemble(flags, isGiven, { env, cwd, program }) };
}

function assemble(
  flags: FlagValues,
  isGiven: (name: keyof FlagValues) => boolean,
  { env, cwd, program }: Pick<CommandLineInput, "env" | "cwd" | "program">,
): Options {
  const place = (path: string): string => (isAbsolute(path) ? path : resolve(cwd, path));
  const store = chooseStore(flags, isGiven, place);
  if (store.kind === "memory" && flags.workers > 1)
    throw new ConfigError("--workers", "expected 1 with --inMemory: memory is not shared between processes");
  if (store.kind === "postgres" && flags.workers > 1)
    throw new ConfigError("--workers", "expected 1 with a postgres store: start another node instead");
  const certificate = loadCertificate({
    cert: flags.cert === undefined ? undefined : place(flags.cert),
    key: flags.key === undefined ? undefined : place(flags.key),
    pwd: flags.pwd,
  });
  if (flags.oauth !== undefined && certificate === undefined)
    throw new ConfigError("--oauth", "expected --cert beside it: bearer tokens are taken over HTTPS only");
  const { accounts, accountsFile, warnings } = chooseAccounts(flags, env, place);
  const debugFile = typeof flags.debug === "string" ? place(flags.debug) : undefined;
  const accessLog = flags.accessLog;
  const only = onlyServiceOf(program);
  const addresses = chooseAddresses(flags, isGiven, only);
  const openToTokens = checkOauth(flags, addresses);
  return {
    store,
    only,
    addresses,
    keepAliveMillis: {
      blob: flags.blobKeepAliveTimeout,
      queue: flags.queueKeepAliveTimeout,
      table: flags.tableKeepAliveTimeout,
      file: flags.fileKeepAliveTimeout,
    },
    workers: flags.workers,
    shutdownMillis: flags.shutdownSeconds * 1_000,
    certificate,
    oauth: flags.oauth,
    copySources: flags.copySources ?? defaultCopySources(addresses),
    isLoose: flags.loose ?? false,
    isBlobVersioned: flags.blobVersioning ?? false,
    hasVersionLevelImmutability: flags.versionLevelImmutability ?? false,
    shareRetentionDays: flags.shareRetentionDays,
    smbEncryption: flags.smbEncryption ?? (isLoopback(addresses.smb.host) ? "enabled" : "required"),
    smbAccessLists: flags.smbAccessLists,
    smbStreams: flags.smbStreams,
    allowsHostStyle: !(flags.disableProductStyleUrl ?? false),
    ready: flags.ready,
    isSilent: flags.silent ?? false,
    logLevel: chooseLogLevel(flags, isGiven, debugFile),
    debugFile,
    accessLog: accessLog === "off" || accessLog === "-" ? accessLog : place(accessLog),
    accounts,
    accountsFile,
    warnings: openToTokens === undefined ? warnings : [...warnings, openToTokens],
  };
}

const TOKENS_UNVERIFIED = "--oauth basic does not verify the signatures of tokens";

/**
 * Anybody can make a token that `--oauth basic` takes, so it is for loopback, where only local programs call.
 * Returns what to warn about while it is on. The SMB and admin listeners take no tokens.
 */
function checkOauth(
  { oauth, unsafeOauth }: FlagValues,
  addresses: Readonly<Record<ListenerName, Address>>,
): string | undefined {
  if (oauth === undefined) {
    if (unsafeOauth === true)
      throw new ConfigError("--unsafeOauth", "expected --oauth basic beside it: it allows nothing else");
    return undefined;
  }
  const hosts = (["blob", "queue", "table", "file"] as const).map((name) => addresses[name].host);
  const open = [...new Set(hosts.filter((host) => !isLoopback(host)))].join(", ");
  if (open === "")
    return `${TOKENS_UNVERIFIED}: every program on this machine can act as the owner of every account`;
  const risk = `${TOKENS_UNVERIFIED}: anyone who can reach ${open} can act as the owner of every account`;
  if (unsafeOauth === true) return risk;
  throw new UnsafeConfig(
    "--oauth",
    `${risk}. Bind the services to 127.0.0.1, or add --unsafeOauth to accept this`,
  );
}

function chooseStore(
  flags: FlagValues,
  isGiven: (name: keyof FlagValues) => boolean,
  place: (path: string) => string,
): StoreChoice {
  const named = (["location", "store"] as const).filter(isGiven);
  if (flags.inMemory || flags.inMemoryPersistence) {
    if (named.length > 0)
      throw new ConfigError(
        `--${named[0]}`,
        "expected without --inMemory: what is in memory has no place on disk",
      );
    if (flags.extentMemoryLimit === undefined) return { kind: "memory" };
    return { kind: "memory", payloadBytesMax: Math.floor(flags.extentMemoryLimit * MIB) };
  }
  if (flags.extentMemoryLimit !== undefined)
    throw new ConfigError(
      "--extentMemoryLimit",
      "expected --inMemory beside it: it limits what is in memory",
    );
  if (named.length === 2)
    throw new ConfigError("--store", "expected without --location: both name where data is kept");
  const chosen = flags.store ?? flags.location;
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(chosen)?.[1]?.toLowerCase();
  if (scheme === "postgres" || scheme === "postgresql") {
    parseDatabaseAddress(chosen);
    return { kind: "postgres", address: chosen };
  }
  if (scheme !== undefined)
    throw new ConfigError("--store", `expected a directory or postgres://..., got an address of ${scheme}`);
  return { kind: "embedded", directory: place(chosen) };
}

/**
 * Listeners that Azurite lacks: a script written for it names no port for them, and must not fail over them.
 */
const GIVE_WAY: ReadonlySet<ListenerName> = new Set(["file", "smb", "admin"]);

function chooseAddresses(
  flags: FlagValues,
  isGiven: (name: keyof FlagValues) => boolean,
  only: AzuriteService | undefined,
): Record<ListenerName, Address> {
  // Whoever reaches the admin listener needs no key: it opens to other machines only by its own flag.
  const hostOf = (name: ListenerName): string =>
    flags[`${name}Host`] ?? (name === "admin" ? undefined : flags.host) ?? "127.0.0.1";
  const taken = new Map<string, ListenerName>();
  const address = (name: ListenerName): Address => {
    const chosen = { host: hostOf(name), port: flags[`${name}Port`] };
    const isAsked = isGiven(`${name}Port`);
    if (!isAsked && only !== undefined && name !== only) return { ...chosen, port: 0 };
    const givesWay = !isAsked && GIVE_WAY.has(name);
    const key = `${chosen.host} ${chosen.port}`;
    const other = taken.get(key);
    if (chosen.port !== 0 && other !== undefined) {
      if (givesWay) return { ...chosen, port: 0 };
      throw new ConfigError(
        `--${name}Port`,
        `expected a port other than ${chosen.port}, which --${other}Port has`,
      );
    }
    taken.set(key, name);
    return givesWay ? { ...chosen, givesWay } : chosen;
  };
  const isLast = (name: ListenerName): boolean => GIVE_WAY.has(name) && !isGiven(`${name}Port`);
  const inTurn = [...LISTENERS.filter((name) => !isLast(name)), ...LISTENERS.filter(isLast)];
  return Object.fromEntries(inTurn.map((name) => [name, address(name)])) as Record<ListenerName, Address>;
}

/**
 * Whoever reaches a server on loopback is on its machine already; others must not reach its network through
 * it.
 */
function defaultCopySources(addresses: Readonly<Record<ListenerName, Address>>): CopySources {
  return Object.values(addresses).every(({ host }) => isLoopback(host)) ? ANY_SOURCE : PUBLIC_SOURCES;
}

/** `--debug` alone means debug lines on stderr; with a file they go there, and stderr stays as it was. */
function chooseLogLevel(
  flags: FlagValues,
  isGiven: (name: keyof FlagValues) => boolean,
  debugFile: string | undefined,
): LogLevel {
  if (isGiven("logLevel")) return flags.logLevel;
  if (flags.debug !== undefined && debugFile === undefined) return "debug";
  return flags.silent ? "error" : flags.logLevel;
}

/**
 * One source counts, the first that is given: the file, our variable, Azurite's variable, the well-known
 * account.
 */
function chooseAccounts(
  flags: FlagValues,
  env: Environment,
  place: (path: string) => string,
): Pick<Options, "accounts" | "accountsFile" | "warnings"> {
  const variables = ["HOLDFAST_ACCOUNTS", "AZURITE_ACCOUNTS"].filter((name) => env[name]?.trim());
  const warnings: string[] = [];
  if (env.AZURITE_DB) warnings.push("AZURITE_DB has no effect: records are kept in the data directory");
  let list: AccountList;
  let accountsFile: Options["accountsFile"];
  if (flags.accountsFile !== undefined) {
    const path = place(flags.accountsFile);
    const read = readAccountsFile(path);
    list = read.list;
    accountsFile = { path, text: read.text };
    for (const name of variables) warnings.push(`${name} has no effect beside --accountsFile`);
  } else if (variables[0] !== undefined) {
    list = parseAccountsVariable(variables[0], env[variables[0]]!);
    if (variables[1] !== undefined) warnings.push(`${variables[1]} has no effect beside ${variables[0]}`);
  } else {
    list = defaultAccounts();
  }
  return { accounts: list.accounts, accountsFile, warnings: [...list.warnings, ...warnings] };
}

export { ConfigError };
