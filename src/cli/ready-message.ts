import { assert } from "../base/assert.ts";
import { type AzuriteService, listeningLines } from "../process/azurite-compat.ts";
import type { AccountKeys } from "../services/account/account-list.ts";
import {
  displayConnectionString,
  isWellKnown,
  openAdminWarning,
  wellKnownKeyWarning,
} from "../services/account/accounts.ts";

/** What is known once every listener is up: the ports are the real ones, also where 0 was asked for. */
export interface ReadyInfo {
  readonly version: string;
  readonly pid: number;
  readonly workers: number;
  /** undefined: everything is in memory. */
  readonly dataDirectory: string | undefined;
  readonly isSecure: boolean;
  /** Started by the name of one of Azurite's services. */
  readonly only?: AzuriteService | undefined;
  readonly addresses: ReadyAddresses;
  readonly accounts: readonly AccountKeys[];
  readonly warnings: readonly string[];
}

interface Address {
  readonly host: string;
  readonly port: number;
  /** The usual port, where it was taken and this is another. */
  readonly insteadOf?: number | undefined;
}

export interface ReadyAddresses {
  readonly blob: Address;
  readonly queue: Address;
  readonly table: Address;
  readonly file: Address;
  /** undefined: this build or configuration has no such listener. */
  readonly smb?: Address | undefined;
  readonly admin?: Address | undefined;
}

interface Endpoints {
  readonly blob: string;
  readonly queue: string;
  readonly table: string;
  readonly file: string;
  readonly smb?: string;
  readonly admin?: string;
}

/** An address a client on this machine can use: a wildcard is where we listen, not where one connects to. */
function endpoint(scheme: string, { host, port }: Address): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `${scheme}://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

function endpointsOf({ addresses, isSecure }: ReadyInfo): Endpoints {
  const web = isSecure ? "https" : "http";
  return {
    blob: endpoint(web, addresses.blob),
    queue: endpoint(web, addresses.queue),
    table: endpoint(web, addresses.table),
    file: endpoint(web, addresses.file),
    ...(addresses.smb === undefined ? {} : { smb: endpoint("smb", addresses.smb) }),
    // Health and metrics stay on plain HTTP: what scrapes them seldom knows the certificate.
    ...(addresses.admin === undefined ? {} : { admin: endpoint("http", addresses.admin) }),
  };
}

/** The account shown first: the one everybody's scripts use, or the first of the operator's own. */
function shownAccount(accounts: readonly AccountKeys[]): AccountKeys {
  const shown = accounts.find(isWellKnown) ?? accounts[0];
  assert(shown !== undefined, "a server without accounts");
  return shown;
}

function warningsOf(info: ReadyInfo): string[] {
  const { admin, ...services } = info.addresses;
  const hosts = Object.values(services).flatMap((address: Address | undefined) => address?.host ?? []);
  const open = [
    wellKnownKeyWarning(hosts, info.accounts),
    admin === undefined ? undefined : openAdminWarning(admin.host),
  ].filter((warning) => warning !== undefined);
  const moved = Object.entries(info.addresses).flatMap(([name, address]: [string, Address | undefined]) =>
    address?.insteadOf === undefined
      ? []
      : [`port ${address.insteadOf} is in use: ${name} is at ${address.port}, --${name}Port chooses another`],
  );
  return [...info.warnings, ...moved, ...open];
}

/** For programs that wait for Azurite. */
export function printListening(info: ReadyInfo): string {
  return `${listeningLines(endpointsOf(info), info.only).join("\n")}\n`;
}

/** For people. */
export function printReadyText(info: ReadyInfo): string {
  const endpoints = endpointsOf(info);
  const account = shownAccount(info.accounts);
  const row = (name: string, value: string): string => `  ${name.padEnd(10)}${value}`;
  const lines = [`Holdfast ${info.version} is ready.`, ""];
  for (const name of ["blob", "queue", "table", "file"] as const)
    lines.push(row(name, `${endpoints[name]}/${account.name}`));
  if (endpoints.smb !== undefined) lines.push(row("smb", endpoints.smb));
  if (endpoints.admin !== undefined)
    lines.push(row("admin", `${endpoints.admin}  (/healthz, /readyz, /metrics)`));
  lines.push(
    row("data", info.dataDirectory ?? "in memory, gone when this process ends"),
    row("workers", String(info.workers)),
    row("accounts", info.accounts.map(({ name }) => name).join(", ")),
  );
  lines.push("", "Connection string:", `  ${displayConnectionString(account, endpoints)}`);
  if (!isWellKnown(account)) lines.push(`  (put the key of ${account.name} in the place of <key>)`);
  const warnings = warningsOf(info);
  if (warnings.length > 0) lines.push("", ...warnings.map((warning) => `Warning: ${warning}`));
  return `${lines.join("\n")}\n`;
}

/** For programs: one line of JSON. */
export function printReadyJson(info: ReadyInfo): string {
  const endpoints = endpointsOf(info);
  const account = shownAccount(info.accounts);
  const ports = Object.fromEntries(
    Object.entries(info.addresses).flatMap(([name, address]: [string, Address | undefined]) =>
      address === undefined ? [] : [[name, address.port]],
    ),
  );
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
