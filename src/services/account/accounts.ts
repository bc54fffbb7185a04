import { type AccountKeys, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from "./account-list.ts";

interface DerivedAccount<T> {
  readonly account: AccountKeys;
  readonly derived: T;
}

/**
 * The accounts of this server. What authentication needs of a key (an HMAC state, an NTLM hash) is derived
 * once, when the account is added, and found by name for every request.
 */
export class AccountSet<T> {
  readonly #derive: (name: string, keys: readonly Buffer[]) => T;
  #accounts: ReadonlyMap<string, DerivedAccount<T>> = new Map();

  constructor(derive: (name: string, keys: readonly Buffer[]) => T, accounts: readonly AccountKeys[] = []) {
    this.#derive = derive;
    this.replace(accounts);
  }

  find(name: string): T | undefined {
    return this.#accounts.get(name)?.derived;
  }

  names(): string[] {
    return [...this.#accounts.keys()];
  }

  /**
   * Replaces the whole set at once: a request sees the old set or the new one. An account with unchanged keys
   * keeps its derived values.
   */
  replace(accounts: readonly AccountKeys[]): void {
    const next = new Map<string, DerivedAccount<T>>();
    for (const account of accounts) {
      const before = this.#accounts.get(account.name);
      next.set(
        account.name,
        before !== undefined && hasSameKeys(before.account, account)
          ? before
          : { account, derived: this.#derive(account.name, account.keys) },
      );
    }
    this.#accounts = next;
  }
}

function hasSameKeys(a: AccountKeys, b: AccountKeys): boolean {
  return a.keys.length === b.keys.length && a.keys.every((key, index) => key.equals(b.keys[index]!));
}

export function isWellKnown(account: AccountKeys): boolean {
  return (
    account.name === WELL_KNOWN_ACCOUNT &&
    account.keys.some((key) => key.toString("base64") === WELL_KNOWN_KEY)
  );
}

/** Base addresses of the services, without the account: `http://127.0.0.1:10000`. */
export interface ServiceEndpoints {
  readonly blob: string;
  readonly queue: string;
  readonly table: string;
  readonly file: string;
}

/** The connection string of a client. It contains the first key of the account: never print it, see below. */
export function connectionString(account: AccountKeys, endpoints: ServiceEndpoints): string {
  return connectionStringWith(account.keys[0]!.toString("base64"), account, endpoints);
}

/**
 * A connection string to print. It contains only the public well-known key; any other key would end up in a
 * console history or a log, so a placeholder stands for it.
 */
export function displayConnectionString(account: AccountKeys, endpoints: ServiceEndpoints): string {
  return connectionStringWith(isWellKnown(account) ? WELL_KNOWN_KEY : "<key>", account, endpoints);
}

function connectionStringWith(key: string, { name }: AccountKeys, endpoints: ServiceEndpoints): string {
  const parts = [
    `DefaultEndpointsProtocol=${endpoints.blob.startsWith("https:") ? "https" : "http"}`,
    `AccountName=${name}`,
    `AccountKey=${key}`,
    `BlobEndpoint=${endpoints.blob}/${name}`,
    `QueueEndpoint=${endpoints.queue}/${name}`,
    `TableEndpoint=${endpoints.table}/${name}`,
    `FileEndpoint=${endpoints.file}/${name}`,
  ];
  return `${parts.join(";")};`;
}

/** The warning for a listener that other machines reach while an account has the public key. */
export function wellKnownKeyWarning(
  hosts: readonly string[],
  accounts: readonly AccountKeys[],
): string | undefined {
  const open = [...new Set(hosts.filter((host) => !isLoopback(host)))];
  if (open.length === 0 || !accounts.some(isWellKnown)) return undefined;
  return (
    `listening on ${open.join(", ")} with the public key of ${WELL_KNOWN_ACCOUNT}: anyone who can reach it can ` +
    "read and change everything. Set HOLDFAST_ACCOUNTS or --accountsFile to use keys of your own."
  );
}

/** The warning for an admin listener that other machines reach. */
export function openAdminWarning(host: string): string | undefined {
  if (isLoopback(host)) return undefined;
  return (
    `health and metrics listen on ${host} without a login: anyone who can reach that port can read them. ` +
    "Leave --adminHost out to keep them on this machine, or guard the port with a firewall."
  );
}

export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^::ffff:/, "");
  return bare === "localhost" || bare === "::1" || /^127(\.\d{1,3}){3}$/.test(bare);
}
