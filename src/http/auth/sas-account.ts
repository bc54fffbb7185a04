import { LIMITS } from "../../base/limits.ts";
import type { Query } from "../exchange.ts";
import { type Pair, SAS_NAMES } from "../query.ts";
import type { Account } from "./accounts.ts";
import type { AccountSasCaller } from "./caller.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
import { sasFieldInvalid, sasMismatch } from "./refuse.ts";
import {
  checkOrigin,
  checkWindow,
  isSasField,
  joinFields,
  refuseUnsigned,
  sasField,
  sasTime,
  sasVersion,
  type Window,
} from "./sas-fields.ts";
import { isSameText, isSigned } from "./verify.ts";

/**
 * An account SAS: `ss` lists services, `srt` types of resource, `sp` permissions. Its string to sign begins
 * with the account name and ends with a line feed, unlike that of every other SAS.
 */
const FIRST_VERSION = "2015-04-05";
const ENCRYPTION_SCOPE_SINCE = "2020-12-06";
const BASE = ["account", "sp", "ss", "srt", "st", "se", "sip", "spr", "sv"] as const;
const SIGNED = [...BASE, "end"] as const;
const SIGNED_WITH_SCOPE = [...BASE, "ses", "end"] as const;

export function authenticateAccountSas(request: Unauthenticated, context: AuthContext): AccountSasCaller {
  const { query, target } = request;
  const now = context.clock.now();
  const account = context.accounts.find(target.account);
  const cache = account && cacheOf(account);
  const last = cache?.matchLast(query.pairs);
  if (last !== undefined) {
    checkWindow(last.window, now);
    return last.caller;
  }
  const version = sasVersion(query, FIRST_VERSION);
  const signed = version >= ENCRYPTION_SCOPE_SINCE ? SIGNED_WITH_SCOPE : SIGNED;
  const text = joinFields(query, signed, { account: target.account, end: "" });
  const signature = sasField(query, "sig");
  const cached = cache?.get(text, signature);
  if (cached === undefined && !isSigned(account, text, signature, 0)) throw sasMismatch(text);

  refuseUnsigned(query, signed, context);
  const token = cached ?? readToken(query, target.account, version);
  checkWindow(token.window, now);
  checkOrigin(request, signed);
  if (cached === undefined) cache!.put(text, token);
  else cache!.setLast(query.pairs, token);
  return token.caller;
}

function readToken(query: Query, account: string, version: string): AccountSasToken {
  const services = sasField(query, "ss");
  const resourceTypes = sasField(query, "srt");
  const permissions = sasField(query, "sp");
  // Strict on letters: a service SAS whose fields were moved around could not pass as an account SAS.
  if (!/^[bqtf]+$/.test(services)) throw sasFieldInvalid("ss");
  if (!/^[sco]+$/.test(resourceTypes)) throw sasFieldInvalid("srt");
  if (!/^[a-z]+$/.test(permissions)) throw sasFieldInvalid("sp");
  const expiry = sasTime(query, "se");
  if (expiry === undefined) throw sasFieldInvalid("se");
  const scope = version >= ENCRYPTION_SCOPE_SINCE ? sasField(query, "ses") : "";
  const encryptionScope = scope === "" ? undefined : scope;
  return {
    signature: sasField(query, "sig"),
    window: { start: sasTime(query, "st"), expiry },
    caller: { kind: "accountSas", account, version, services, resourceTypes, permissions, encryptionScope },
  };
}

/**
 * What the signed text of a token says. The clock, the source and unsigned fields are checked at each
 * request.
 */
interface AccountSasToken {
  readonly signature: string;
  readonly caller: AccountSasCaller;
  readonly window: Window;
}

/**
 * The account SAS tokens of one account whose signature was good: a holder sends its token with every
 * request.
 */
class AccountSasCache {
  readonly #byText = new Map<string, AccountSasToken>();
  /**
   * The token of the last request with its fields of the query: mostly the next request sends the same ones.
   */
  #last: { readonly token: AccountSasToken; readonly fields: readonly Pair[] } | undefined;

  /** By the text that was signed; the signature is compared. */
  get(text: string, signature: string): AccountSasToken | undefined {
    const token = this.#byText.get(text);
    return token !== undefined && isSameText(token.signature, signature) ? token : undefined;
  }

  put(text: string, token: AccountSasToken): void {
    if (this.#byText.size >= LIMITS.provenTokensMax) this.#byText.clear();
    this.#byText.set(text, token);
  }

  /**
   * The last token, if the fields of this query are the same ones, side by side (clients put their own
   * parameters before or behind a token). Pairs are cached by their text, except the signature, which is
   * compared.
   */
  matchLast(pairs: readonly Pair[]): AccountSasToken | undefined {
    if (this.#last === undefined) return undefined;
    const { token, fields } = this.#last;
    const start = pairs.findIndex(isOfSas);
    const end = start + fields.length;
    if (start < 0 || end > pairs.length) return undefined;
    for (let at = start; at < end; at++) {
      const pair = pairs[at]!;
      const field = fields[at - start]!;
      if (pair === field) continue;
      if (pair[0] !== "sig" || field[0] !== "sig" || !isSameText(token.signature, pair[1])) return undefined;
    }
    for (let at = end; at < pairs.length; at++) if (isOfSas(pairs[at]!)) return undefined;
    return token;
  }

  /** Only a token without `sip` and `spr`: those depend on the connection. */
  setLast(pairs: readonly Pair[], token: AccountSasToken): void {
    const fields = pairs.slice(pairs.findIndex(isOfSas), pairs.findLastIndex(isOfSas) + 1);
    const names = fields.map(([name]) => name);
    const isPlain = names.every(
      (name) => name === "sig" || (SAS_NAMES.has(name) && name !== "sip" && name !== "spr"),
    );
    if (isPlain && new Set(names).size === names.length) this.#last = { token, fields };
  }
}

function isOfSas([name]: Pair): boolean {
  return isSasField(name);
}

const caches = new WeakMap<Account, AccountSasCache>();

function cacheOf(account: Account): AccountSasCache {
  let cache = caches.get(account);
  if (cache === undefined) {
    cache = new AccountSasCache();
    caches.set(account, cache);
  }
  return cache;
}
