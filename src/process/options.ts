import { isAbsolute, resolve } from "node:path";
import { CommanderError } from "commander";
import { ConfigError, UnsafeConfig } from "../base/config-error.ts";
import { MIB } from "../base/limits.ts";
import { ANY_SOURCE, type CopySources, PUBLIC_SOURCES } from "../http/common/copy-sources.ts";
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
import { dataDirectoryAt } from "./data-directory.ts";
import { buildCommand, type FlagValues } from "./options-flags.ts";
import { readSeed, type Seed } from "./seed-file.ts";

/** All settings of the operator, from the command line and the environment, checked, with defaults. */
export interface Options {
  readonly store: StoreChoice;
  /** Started as Azurite's program for one service: only that service has its default port. */
  readonly only: AzuriteService | undefined;
  readonly addresses: Readonly<Record<ListenerName, Address>>;
  readonly keepAliveMillis: Readonly<Record<"blob" | "queue" | "table" | "file", number | undefined>>;
  readonly workers: number;
  /** How long in-flight requests may take when the server shuts down. */
  readonly shutdownMillis: number;
  readonly certificate: Certificate | undefined;
  /** "basic": the server accepts bearer tokens and checks their claims, not their signatures. */
  readonly oauth: "basic" | undefined;
  /** From where, besides itself, the server may fetch copy sources. */
  readonly copySources: CopySources;
  /** The server ignores unknown headers and parameters instead of refusing them. */
  readonly isLoose: boolean;
  /** The server answers as Azure where it is otherwise more lenient on purpose. */
  readonly isStrict: boolean;
  /** On Azure a setting of the account, made outside the protocol. */
  readonly isBlobVersioned: boolean;
  /** New containers allow immutability policies. On Azure a setting made outside the protocol. */
  readonly hasVersionLevelImmutability: boolean;
  readonly shareRetentionDays: number;
  /** "required": the server refuses SMB clients that cannot encrypt. */
  readonly smbEncryption: "required" | "enabled";
  /** "enforced": the server evaluates Windows ACLs for every open over SMB. */
  readonly smbAcls: "shown" | "enforced";
  readonly smbStreams: "refused" | "kept";
  /** What the server creates before it is ready. */
  readonly seed: Seed | undefined;
  /** The admin listener removes all data on request. */
  readonly allowsReset: boolean;
  /** False: only path-style addresses (`/account/...`). */
  readonly allowsHostStyle: boolean;
  readonly ready: "text" | "json";
  readonly isSilent: boolean;
  readonly logLevel: LogLevel;
  readonly debugFile: string | undefined;
  /** A path, "-" for stdout, or "off". */
  readonly accessLog: string;
  readonly accounts: readonly AccountKeys[];
  /** The file to watch, and its text when it was read. */
  readonly accountsFile: { readonly path: string; readonly text: string } | undefined;
  /** For the ready message: settings that are unusual or have no effect. */
  readonly warnings: readonly string[];
}

export type StoreChoice =
  | { readonly kind: "memory"; readonly payloadBytesMax?: number }
  | { readonly kind: "embedded"; readonly directory: string }
  | { readonly kind: "postgres"; readonly address: string };

export const LISTENERS = ["blob", "queue", "table", "file", "smb", "admin"] as const;
export type ListenerName = (typeof LISTENERS)[number];

export interface Address {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The port is a default: if another program uses it, any free port will do. */
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

/** Options to serve with, or a text to print (`--help`, `--version`). */
export type CommandLine =
  | { readonly kind: "serve"; readonly options: Options }
  | { readonly kind: "print"; readonly text: string };

/** Throws `ConfigError`. A flag overrides its environment variable. */
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
    throw new ConfigError("--workers", "expected 1 with --inMemory: processes do not share memory");
  if (store.kind === "postgres" && flags.workers > 1)
    throw new ConfigError(
      "--workers",
      "expected 1 with a postgres store: start another server on the same database instead",
    );
  const certificate = loadCertificate({
    cert: flags.cert === undefined ? undefined : place(flags.cert),
    key: flags.key === undefined ? undefined : place(flags.key),
    pwd: flags.pwd,
  });
  if (flags.oauth !== undefined && certificate === undefined)
    throw new ConfigError("--oauth requires --cert: bearer tokens need HTTPS");
  const { accounts, accountsFile, warnings } = chooseAccounts(flags, env, place);
  const debugFile = typeof flags.debug === "string" ? place(flags.debug) : undefined;
  const { accessLog } = flags;
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
    isStrict: flags.strict ?? false,
    isBlobVersioned: flags.blobVersioning ?? false,
    hasVersionLevelImmutability: flags.versionLevelImmutability ?? false,
    shareRetentionDays: flags.shareRetentionDays,
    smbEncryption: flags.smbEncryption ?? (isLoopback(addresses.smb.host) ? "enabled" : "required"),
    smbAcls: flags.smbAcls,
    smbStreams: flags.smbStreams,
    seed: flags.seed === undefined ? undefined : readSeed(place(flags.seed)),
    allowsReset: store.kind === "memory" || (flags.allowReset ?? false),
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
 * Every client can make a token that `--oauth basic` accepts, so it is for loopback, where only local
 * programs connect. Returns a warning while it is on. The SMB and admin listeners accept no tokens.
 */
function checkOauth(
  { oauth, unsafeOauth }: FlagValues,
  addresses: Readonly<Record<ListenerName, Address>>,
): string | undefined {
  if (oauth === undefined) {
    if (unsafeOauth === true) throw new ConfigError("--unsafeOauth requires --oauth basic");
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
    if (named.length > 0) throw new ConfigError(`--${named[0]} cannot be combined with --inMemory`);
    if (flags.extentMemoryLimit === undefined) return { kind: "memory" };
    return { kind: "memory", payloadBytesMax: Math.floor(flags.extentMemoryLimit * MIB) };
  }
  if (flags.extentMemoryLimit !== undefined) throw new ConfigError("--extentMemoryLimit requires --inMemory");
  if (named.length === 2)
    throw new ConfigError("--store cannot be combined with --location: both name the data directory");
  const chosen = flags.store ?? flags.location;
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(chosen)?.[1]?.toLowerCase();
  if (scheme === "postgres" || scheme === "postgresql") {
    parseDatabaseAddress(chosen);
    return { kind: "postgres", address: chosen };
  }
  if (scheme !== undefined)
    throw new ConfigError("--store", `expected a directory or postgres://..., got an address of ${scheme}`);
  return { kind: "embedded", directory: dataDirectoryAt(place(chosen)) };
}

/**
 * Listeners that Azurite lacks. A script written for Azurite names no port for them, so a default port that
 * is in use must not make it fail.
 */
const GIVE_WAY: ReadonlySet<ListenerName> = new Set(["file", "smb", "admin"]);

function chooseAddresses(
  flags: FlagValues,
  isGiven: (name: keyof FlagValues) => boolean,
  only: AzuriteService | undefined,
): Record<ListenerName, Address> {
  // The admin listener requires no key, so only its own flag opens it to other machines.
  const hostOf = (name: ListenerName): string =>
    flags[`${name}Host`] ?? (name === "admin" ? undefined : flags.host) ?? "127.0.0.1";
  const used = new Map<string, ListenerName>();
  const address = (name: ListenerName): Address => {
    const chosen = { host: hostOf(name), port: flags[`${name}Port`] };
    const isChosen = isGiven(`${name}Port`);
    if (!isChosen && only !== undefined && name !== only) return { ...chosen, port: 0 };
    const givesWay = !isChosen && GIVE_WAY.has(name);
    const key = `${chosen.host} ${chosen.port}`;
    const other = used.get(key);
    if (chosen.port !== 0 && other !== undefined) {
      if (givesWay) return { ...chosen, port: 0 };
      throw new ConfigError(
        `--${name}Port`,
        `expected a port other than ${chosen.port}, which --${other}Port uses`,
      );
    }
    used.set(key, name);
    return givesWay ? { ...chosen, givesWay } : chosen;
  };
  const isLast = (name: ListenerName): boolean => GIVE_WAY.has(name) && !isGiven(`${name}Port`);
  const ordered = [...LISTENERS.filter((name) => !isLast(name)), ...LISTENERS.filter(isLast)];
  return Object.fromEntries(ordered.map((name) => [name, address(name)])) as Record<ListenerName, Address>;
}

/**
 * A client of a server on loopback can reach the same network itself. Other clients must not reach it through
 * the server.
 */
function defaultCopySources(addresses: Readonly<Record<ListenerName, Address>>): CopySources {
  return Object.values(addresses).every(({ host }) => isLoopback(host)) ? ANY_SOURCE : PUBLIC_SOURCES;
}

/** `--debug` alone means debug lines on stderr; with a file they go to the file only. */
function chooseLogLevel(
  flags: FlagValues,
  isGiven: (name: keyof FlagValues) => boolean,
  debugFile: string | undefined,
): LogLevel {
  if (isGiven("logLevel")) return flags.logLevel;
  if (flags.debug !== undefined && debugFile === undefined) return "debug";
  return flags.silent ? "error" : flags.logLevel;
}

/** A list in a compose file (`- AZURITE_ACCOUNTS="name:key"`) passes the quotes on. */
function unquote(text: string): string {
  return /^\s*(["'])(.*)\1\s*$/s.exec(text)?.[2] ?? text;
}

/** The first configured source wins: the file, our variable, Azurite's variable, the well-known account. */
function chooseAccounts(
  flags: FlagValues,
  env: Environment,
  place: (path: string) => string,
): Pick<Options, "accounts" | "accountsFile" | "warnings"> {
  const variables = ["HOLDFAST_ACCOUNTS", "AZURITE_ACCOUNTS"].filter((name) => env[name]?.trim());
  const warnings: string[] = [];
  if (env.AZURITE_DB) warnings.push("AZURITE_DB is ignored: the data directory holds all records");
  let list: AccountList;
  let accountsFile: Options["accountsFile"];
  if (flags.accountsFile !== undefined) {
    const path = place(flags.accountsFile);
    const read = readAccountsFile(path);
    list = read.list;
    accountsFile = { path, text: read.text };
    for (const name of variables) warnings.push(`${name} is ignored because --accountsFile is set`);
  } else if (variables[0] !== undefined) {
    list = parseAccountsVariable(variables[0], unquote(env[variables[0]]!));
    if (variables[1] !== undefined)
      warnings.push(`${variables[1]} is ignored because ${variables[0]} is set`);
  } else {
    list = defaultAccounts();
  }
  return { accounts: list.accounts, accountsFile, warnings: [...list.warnings, ...warnings] };
}
