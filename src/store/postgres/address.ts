import { readFileSync } from "node:fs";
import { ConfigError } from "../../base/config-error.ts";

/**
 * The address of the database:
 *
 *   postgres://user:password@host1:5432,host2:5432/database?schema=holdfast&sslmode=verify-full
 *
 * Several hosts are tried in order, and the one that accepts writes is used, so that members find the new
 * primary after a failover. Options have their names in libpq; `schema` and `connections` are our own.
 */
export interface DatabaseAddress {
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly schema: string;
  readonly tls: TlsChoice;
  /** The largest number of connections for reads, and for payload. */
  readonly connections: number;
  readonly connectMillis: number;
  /** For messages, without the password. */
  readonly shown: string;
}

/** False: unencrypted. */
export type TlsChoice =
  | false
  | {
      /** False for `prefer`: falls back to an unencrypted connection. */
      readonly isRequired: boolean;
      readonly settings: TlsSettings;
    };

export interface TlsSettings {
  readonly rejectUnauthorized: boolean;
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** Set when the certificate is checked but not its host name (verify-ca). */
  readonly checkServerIdentity?: () => undefined;
}

const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"];
const DEFAULT_PORT = 5_432;
const DEFAULT_CONNECTIONS = 8;
const DEFAULT_CONNECT_SECONDS = 5;
const CONNECTIONS_MAX = 256;
const OPTIONS = new Set([
  "schema",
  "connections",
  "connect_timeout",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "target_session_attrs",
]);

export function isDatabaseAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text);
}

export function parseDatabaseAddress(text: string): DatabaseAddress {
  const parts = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/i.exec(text);
  if (parts === null) fail("expected postgres://user:password@host:port/database");
  const [, login = "", hostList = "", path = "", query = ""] = parts;
  const options = new URLSearchParams(query);
  for (const name of options.keys()) if (!OPTIONS.has(name)) fail(`does not know the option ${name}`);
  const attrs = options.get("target_session_attrs") ?? "read-write";
  if (attrs !== "read-write" && attrs !== "primary")
    fail(`expected target_session_attrs=read-write, got ${attrs}: every read is made on the primary`);
  const [user = "", ...rest] = login.split(":");
  const hosts = hostList.split(",").map(parseHost);
  const database = decode(path) || "postgres";
  const schema = options.get("schema") ?? "holdfast";
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    fail(`expected a schema of lower-case letters, digits and _, got "${schema}"`);
  const shown = `postgres://${hosts.map(({ host, port }) => `${host}:${port}`).join(",")}/${database}`;
  return {
    hosts,
    database,
    user: decode(user) || "postgres",
    password: rest.length === 0 ? undefined : decode(rest.join(":")),
    schema,
    tls: chooseTls(options),
    connections: wholeOf(options, "connections", DEFAULT_CONNECTIONS, CONNECTIONS_MAX),
    connectMillis: wholeOf(options, "connect_timeout", DEFAULT_CONNECT_SECONDS, 600) * 1_000,
    shown,
  };
}

function fail(what: string): never {
  throw new ConfigError("--store", what);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail("expected percent-encoding in the address to be whole");
  }
}

function parseHost(text: string): { host: string; port: number } {
  const parts = /^(\[[^\]]+\]|[^:]*)(?::(\d+))?$/.exec(text);
  if (parts === null) fail(`expected host:port, got "${text}"`);
  const port = parts[2] === undefined ? DEFAULT_PORT : Number(parts[2]);
  if (port < 1 || port > 65_535) fail(`expected a port from 1 to 65535, got ${port}`);
  const host = decode(parts[1] ?? "").replace(/^\[|\]$/g, "");
  return { host: host === "" ? "localhost" : host, port };
}

function wholeOf(options: URLSearchParams, name: string, byDefault: number, max: number): number {
  const text = options.get(name);
  if (text === null) return byDefault;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > max) fail(`expected ${name} from 1 to ${max}`);
  return value;
}

/**
 * As libpq: `prefer`, the default, encrypts if the server supports it and checks nothing; `require` encrypts
 * and trusts any certificate unless a root is given; verify-* check it.
 */
function chooseTls(options: URLSearchParams): TlsChoice {
  const root = options.get("sslrootcert");
  const mode = options.get("sslmode") ?? (root === null ? "prefer" : "verify-full");
  if (!SSL_MODES.includes(mode)) fail(`expected sslmode ${SSL_MODES.join(", ")}, got ${mode}`);
  if (mode === "disable") return false;
  const file = (name: string): Buffer | undefined => {
    const path = options.get(name);
    if (path === null) return undefined;
    try {
      return readFileSync(path);
    } catch (error) {
      return fail(`cannot read ${name}: ${(error as Error).message}`);
    }
  };
  const [ca, cert, key] = [file("sslrootcert"), file("sslcert"), file("sslkey")];
  const isChecked = mode.startsWith("verify") || (mode === "require" && ca !== undefined);
  const settings = {
    rejectUnauthorized: isChecked,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
  return { isRequired: mode !== "prefer", settings };
}
