import { createHmac } from "node:crypto";
import { type Clock, ManualClock } from "../../src/base/clock.ts";
import { Refusal, type RefusalCode } from "../../src/base/refusals.ts";
import { type Account, type Accounts, accountOf } from "../../src/http/auth/accounts.ts";
import {
  type AuthContext,
  authenticate as authenticateNow,
  type Unauthenticated,
} from "../../src/http/auth/authenticate.ts";
import type { Caller } from "../../src/http/auth/caller.ts";
import type { ServiceName } from "../../src/http/exchange.ts";
import { readAddress } from "../../src/http/target.ts";
import type { StoredPolicy } from "../../src/services/account/stored-policy.ts";

/** Requests and contexts for the tests of authentication: read as the front end reads them. */
export const NAME = "devstoreaccount1";
export const KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
export const KEY_TWO = Buffer.alloc(64, "second").toString("base64");
export const NOW = Date.UTC(2026, 0, 1);
export const NOW_TEXT = "Thu, 01 Jan 2026 00:00:00 GMT";

export const accountWith = (keys: readonly string[]): Account =>
  accountOf(
    NAME,
    keys.map((key) => Buffer.from(key, "base64")),
  );

export const ACCOUNT: Account = accountWith([KEY, KEY_TWO]);

export const accounts: Accounts = { find: (name) => (name === NAME ? ACCOUNT : undefined) };

export interface Sent {
  readonly service?: ServiceName;
  readonly method?: string;
  /** `http://host/path?query`, or only from the path on. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isSecure?: boolean;
  readonly remoteAddress?: string;
}

export function requestOf(sent: Sent): Unauthenticated {
  const parts = /^(?:https?:\/\/([^/]*))?(\/.*)$/.exec(sent.url);
  if (parts === null) throw new Error(`not an address: ${sent.url}`);
  const named = Object.entries(sent.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const headers: Record<string, string | undefined> = Object.fromEntries(named);
  const { target, query } = readAddress(parts[2]!, parts[1] ?? "127.0.0.1", sent.service ?? "blob", true);
  return {
    method: sent.method ?? "GET",
    target,
    query,
    headers,
    isSecure: sent.isSecure ?? sent.url.startsWith("https:"),
    remoteAddress: sent.remoteAddress ?? "127.0.0.1",
    version: headers["x-ms-version"] ?? query.get("sv") ?? "",
  };
}

/** Always a promise, whether the caller is known at once or not. */
export async function authenticate(request: Unauthenticated, context: AuthContext): Promise<Caller> {
  return authenticateNow(request, context);
}

export function contextOf(changes: Partial<AuthContext> = {}): AuthContext {
  const clock: Clock = new ManualClock(NOW);
  return {
    accounts,
    clock,
    oauth: "off",
    policies: async () => undefined,
    publicAccess: async () => "none",
    ...changes,
  };
}

/** One container, queue, table or share with these policies; nothing else exists. */
export function policiesOf(name: string, policies: readonly StoredPolicy[]): AuthContext["policies"] {
  return async (_service, account, resourceName) =>
    account === NAME && resourceName === name ? policies : undefined;
}

/** The reference implementation that all tests sign with. */
export function hmac(text: string, key: string = KEY): string {
  return createHmac("sha256", Buffer.from(key, "base64")).update(text, "utf8").digest("base64");
}

/** A query string of the fields that have a value. */
export function queryOf(fields: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value!)}`)
    .join("&");
}

/** For `assert.rejects` and `assert.throws`. */
export function refusal(code: RefusalCode, detail?: RegExp): (error: unknown) => boolean {
  return (error) => {
    if (!(error instanceof Refusal)) throw error;
    if (error.code !== code)
      throw new Error(`expected ${code}, got ${error.code}: ${JSON.stringify(error.detail)}`);
    const text = error.detail.elements?.AuthenticationErrorDetail ?? "";
    if (detail !== undefined && !detail.test(text)) throw new Error(`the detail does not fit: ${text}`);
    return true;
  };
}

/** The code of the refusal, or "accepted". */
export async function outcome(attempt: () => unknown): Promise<string> {
  try {
    await attempt();
    return "accepted";
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}
