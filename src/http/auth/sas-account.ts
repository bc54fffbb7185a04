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
 * An account SAS: `ss` says which services, `srt` which types of resource, `sp` what may be done. It begins with
 * the account name and ends with a line feed, unlike every other SAS.
 */
const FIRST_VERSION = "2015-04-05";
const ENCRYPTION_SCOPE_SINCE = "2020-12-06";
const SIGNED = ["account", "sp", "ss", "srt", "st", "se", "sip", "spr", "sv", "end"] as const;
const SIGNED_WITH_SCOPE = [
  "account",
  "sp",
  "ss",
  "srt",
  "st",
  "se",
  "sip",
  "spr",
  "sv",
  "ses",
  "end",
] as const;

/**
 * What a token said, by the text that was signed, for each account: a holder sends it with every request. The
 * signature is still compared each time; what cannot be seen from the text (the clock, the source, fields that were
 * not signed) is still checked.
 */
interface Proven {
  readonly signature: string;
  readonly caller: AccountSasCaller;
  readonly window: Window;
}

const proven = new WeakMap<Account, Map<string, Proven>>();

/** The one that came last, with its part of the query: mostly it comes again, and nothing has to be put together. */
const latest = new WeakMap<Account, { readonly token: Proven; readonly fields: readonly Pair[] }>();

export function authenticateAccountSas(request: Unauthenticated, context: AuthContext): AccountSasCaller {
  const { query, target } = request;
  const account = context.accounts.find(target.account);
  const again = account && sameAsLatest(account, request, context);
  if (again !== undefined) return again;
  const version = sasVersion(query, FIRST_VERSION);
  const signed = version >= ENCRYPTION_SCOPE_SINCE ? SIGNED_WITH_SCOPE : SIGNED;
  const text = joinFields(query, signed, { account: target.account, end: "" });
  const signature = sasField(query, "sig");
  const known = account && proven.get(account)?.get(text);
  if (known !== undefined && isSameText(known.signature, signature)) {
    refuseUnsigned(query, signed, context);
    checkWindow(known.window, context.clock.now());
    checkOrigin(request, signed);
    noteLatest(account!, query, known);
    return known.caller;
  }
  if (!isSigned(account, text, signature, 0)) throw sasMismatch(text);

  refuseUnsigned(query, signed, context);
  const services = sasField(query, "ss");
  const resourceTypes = sasField(query, "srt");
  const permissions = sasField(query, "sp");
  // Strict on letters: a service SAS whose fields were moved around could not pass as an account SAS.
  if (!/^[bqtf]+$/.test(services)) throw sasFieldInvalid("ss");
  if (!/^[sco]+$/.test(resourceTypes)) throw sasFieldInvalid("srt");
  if (!/^[a-z]+$/.test(permissions)) throw sasFieldInvalid("sp");
  const expiry = sasTime(query, "se");
  if (expiry === undefined) throw sasFieldInvalid("se");
  const window = { start: sasTime(query, "st"), expiry };
  checkWindow(window, context.clock.now());
  checkOrigin(request, signed);

  const scope = version >= ENCRYPTION_SCOPE_SINCE ? sasField(query, "ses") : "";
  const caller: AccountSasCaller = {
    kind: "accountSas",
    account: target.account,
    version,
    services,
    resourceTypes,
    permissions,
    encryptionScope: scope === "" ? undefined : scope,
  };
  cacheProven(account!, text, { signature, caller, window });
  return caller;
}

function cacheProven(account: Account, text: string, token: Proven): void {
  let tokens = proven.get(account);
  if (tokens === undefined || tokens.size >= LIMITS.provenTokensMax) {
    tokens = new Map();
    proven.set(account, tokens);
  }
  tokens.set(text, token);
}

/**
 * Only a token without `sip` and `spr`, whose fields stand side by side in the query (clients put what they ask for in
 * front of it or behind it), the very ones of the last time; the signature, of which nothing is remembered by its text, is
 * compared.
 */
function sameAsLatest(
  account: Account,
  { query: { pairs } }: Unauthenticated,
  { clock }: AuthContext,
): AccountSasCaller | undefined {
  const known = latest.get(account);
  if (known === undefined) return undefined;
  const { token, fields } = known;
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
  checkWindow(token.window, clock.now());
  return token.caller;
}

function noteLatest(account: Account, { pairs }: Query, token: Proven): void {
  const fields = pairs.slice(pairs.findIndex(isOfSas), pairs.findLastIndex(isOfSas) + 1);
  const names = fields.map(([name]) => name);
  const isPlain = names.every(
    (name) => name === "sig" || (SAS_NAMES.has(name) && name !== "sip" && name !== "spr"),
  );
  if (isPlain && new Set(names).size === names.length) latest.set(account, { token, fields });
}

function isOfSas([name]: Pair): boolean {
  return isSasField(name);
}
