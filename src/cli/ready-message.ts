import { assert } from "../base/assert.ts";
import { type AzuriteService, startLines } from "../process/azurite-compat.ts";
import { reachableAddress } from "../process/endpoints.ts";
import { LISTENERS, type ListenerName } from "../process/options.ts";
import type { AccountKeys } from "../services/account/account-list.ts";
import {
  displayConnectionString,
  isWellKnown,
  openAdminWarning,
  wellKnownKeyWarning,
} from "../services/account/accounts.ts";

/** The state once every listener is up: `port` is the actual port, also where port 0 was configured. */
export interface ReadyInfo {
  readonly version: string;
  readonly pid: number;
  readonly workers: number;
  /** undefined: all data is in memory. */
  readonly dataDirectory: string | undefined;
  readonly isSecure: boolean;
  /** Started as Azurite's program for this service. */
  readonly only?: AzuriteService | undefined;
  readonly addresses: ReadyAddresses;
  readonly accounts: readonly AccountKeys[];
  readonly warnings: readonly string[];
}

interface Address {
  readonly host: string;
  readonly port: number;
  /** 0: any free port. Differs from `port` as well if another program uses a default port. */
  readonly configuredPort: number;
}

export type ReadyAddresses = Readonly<Record<ListenerName, Address>>;

function endpointsOf({ addresses, isSecure }: ReadyInfo): Readonly<Record<ListenerName, string>> {
  const web = isSecure ? "https" : "http";
  return {
    blob: reachableAddress(web, addresses.blob.host, addresses.blob.port),
    queue: reachableAddress(web, addresses.queue.host, addresses.queue.port),
    table: reachableAddress(web, addresses.table.host, addresses.table.port),
    file: reachableAddress(web, addresses.file.host, addresses.file.port),
    smb: reachableAddress("smb", addresses.smb.host, addresses.smb.port),
    // Health and metrics stay on plain HTTP: monitoring systems seldom have the certificate.
    admin: reachableAddress("http", addresses.admin.host, addresses.admin.port),
  };
}

/** The account of the connection string: the well-known one, or the first of the operator's own. */
function shownAccount(accounts: readonly AccountKeys[]): AccountKeys {
  const shown = accounts.find(isWellKnown) ?? accounts[0];
  assert(shown !== undefined, "a server without accounts");
  return shown;
}

const TITLES: Readonly<Record<ListenerName, string>> = {
  blob: "the Blob service",
  queue: "the Queue service",
  table: "the Table service",
  file: "the File service",
  smb: "the SMB listener",
  admin: "the admin listener",
};

function warningsOf(info: ReadyInfo): string[] {
  const { admin, ...services } = info.addresses;
  const hosts = Object.values(services).map(({ host }) => host);
  const open = [wellKnownKeyWarning(hosts, info.accounts), openAdminWarning(admin.host)].filter(
    (warning) => warning !== undefined,
  );
  const moved = LISTENERS.flatMap((name) => {
    const { port, configuredPort } = info.addresses[name];
    if (configuredPort === 0 || configuredPort === port) return [];
    return [
      `port ${configuredPort} is in use; ${TITLES[name]} moved to ${port} (set --${name}Port to pin it)`,
    ];
  });
  return [...info.warnings, ...moved, ...open];
}

/** For programs that wait for Azurite's lines. */
export function printListening(info: ReadyInfo): string {
  return `${startLines(info.addresses, info).join("\n")}\n`;
}

/** For people. */
export function printReadyText(info: ReadyInfo): string {
  const endpoints = endpointsOf(info);
  const account = shownAccount(info.accounts);
  const row = (name: string, value: string): string => `  ${name.padEnd(10)}${value}`;
  const lines = [`Holdfast ${info.version} is ready.`, ""];
  for (const name of ["blob", "queue", "table", "file"] as const)
    lines.push(row(name, `${endpoints[name]}/${account.name}`));
  lines.push(
    row("smb", endpoints.smb),
    row("admin", `${endpoints.admin}  (/healthz, /readyz, /metrics)`),
    row("data", info.dataDirectory ?? "in memory, lost when this process ends"),
    row("workers", String(info.workers)),
    row("accounts", info.accounts.map(({ name }) => name).join(", ")),
  );
  lines.push("", "Connection string:", `  ${displayConnectionString(account, endpoints)}`);
  if (!isWellKnown(account)) lines.push(`  (replace <key> with the key of ${account.name})`);
  const warnings = warningsOf(info);
  if (warnings.length > 0) lines.push("", ...warnings.map((warning) => `Warning: ${warning}`));
  return `${lines.join("\n")}\n`;
}

/** For programs: one line of JSON. */
export function printReadyJson(info: ReadyInfo): string {
  const endpoints = endpointsOf(info);
  const account = shownAccount(info.accounts);
  const ports = Object.fromEntries(LISTENERS.map((name) => [name, info.addresses[name].port]));
  return `${JSON.stringify({
    ready: true,
    version: info.version,
    pid: info.pid,
    workers: info.workers,
    dataDirectory: info.dataDirectory ?? null,
    endpoints,
    ports,
    account: account.name,
    connectionString: displayConnectionString(account, endpoints),
    warnings: warningsOf(info),
  })}\n`;
}
