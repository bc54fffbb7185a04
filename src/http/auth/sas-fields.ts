import type { Instant } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { TextMemo } from "../../base/memo.ts";
import { badQuery, Refusal } from "../../base/refusals.ts";
import type { Query } from "../exchange.ts";
import { SAS_NAMES } from "../query.ts";
import { parseIsoDate } from "../wire/dates.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
import { isWithin, parseAddress, parseAddressRange } from "./ip-range.ts";
import { authenticationFailed, sasFieldInvalid } from "./refuse.ts";

/**
 * The decoded value as sent, "" when absent. A line feed inside a value is refused: fields are joined by line
 * feeds when signed, so one value with a feed could stand in for two.
 */
export function sasField(query: Query, name: string): string {
  const value = query.get(name) ?? "";
  if (value.indexOf("\n") !== -1) throw sasFieldInvalid(name);
  return value;
}

/**
 * The `sv`, when it is a date not before `since`. Versions later than any we know follow the newest rules.
 */
export function sasVersion(query: Query, since: string): string {
  const version = sasField(query, "sv");
  if (!/^\d{4}-\d\d-\d\d$/.test(version) || version < since) throw sasFieldInvalid("sv");
  return version;
}

/** Fields that only restrict what a SAS allows. Any holder could drop one that is not signed. */
const RESTRICTIONS = new Set("sip spr ses spk srk epk erk srh srq sduoid skdutid".split(" "));

/** Whether the name is one that an account SAS might have, or must not have. */
export function isSasField(name: string): boolean {
  return SAS_NAMES.has(name) || name === "sig" || RESTRICTIONS.has(name);
}

export function refuseUnsigned(query: Query, signed: readonly string[], context: AuthContext): void {
  if (context.isLoose === true) return;
  for (const [name, value] of query.pairs) {
    if (RESTRICTIONS.has(name) && !signed.includes(name) && value !== "") {
      throw authenticationFailed(`The SAS field ${name} is not part of the signature of this version.`);
    }
  }
}

/** A holder sends the same times with every request. NaN for what is not a time. */
const times = new TextMemo((text) => parseIsoDate(text) ?? Number.NaN, { count: 1_024, chars: 40 });

/** A time of the SAS; undefined when it is absent. */
export function sasTime(query: Query, name: string): Instant | undefined {
  const text = sasField(query, name);
  if (text === "") return undefined;
  const instant = times.get(text);
  if (Number.isNaN(instant)) throw sasFieldInvalid(name);
  return instant;
}

export interface Window {
  readonly start: Instant | undefined;
  readonly expiry: Instant;
}

/** A signature without a start is valid from now on. */
export function checkWindow(window: Window, now: Instant): void {
  const { start = now, expiry } = window;
  if (start <= now && now < expiry) return;
  const [from, to] = [printTime(start), printTime(expiry)];
  throw authenticationFailed(
    expiry <= start
      ? `Signed expiry time [${to}] must be after signed start time [${from}]`
      : `Signature not valid in the specified time frame: Start [${from}] - Expiry [${to}] - Current [${printTime(now)}]`,
  );
}

function printTime(instant: Instant): string {
  return new Date(instant).toUTCString();
}

/** HTTP alone cannot be required. Apache Libcloud names the two in the other order. */
const PROTOCOLS: ReadonlySet<string> = new Set(["", "https", "https,http", "http,https"]);

/** `spr` and `sip`, when this version signs them. */
export function checkOrigin(request: Unauthenticated, signed: readonly string[]): void {
  const protocols = signed.includes("spr") ? sasField(request.query, "spr") : "";
  if (!PROTOCOLS.has(protocols)) throw sasFieldInvalid("spr");
  const addresses = signed.includes("sip") ? sasField(request.query, "sip") : "";
  const range = addresses === "" ? undefined : parseAddressRange(addresses);
  if (addresses !== "" && range === undefined) throw sasFieldInvalid("sip");

  if (protocols === "https" && !request.isSecure) throw new Refusal("AuthorizationProtocolMismatch");
  if (range !== undefined && !isWithin(range, parseAddress(request.remoteAddress))) {
    throw new Refusal("AuthorizationSourceIPMismatch", {
      text: `This request is not authorized to perform this operation using this source IP ${request.remoteAddress}.`,
    });
  }
}

const OVERRIDES = [
  ["rscc", "cache-control"],
  ["rscd", "content-disposition"],
  ["rsce", "content-encoding"],
  ["rscl", "content-language"],
  ["rsct", "content-type"],
] as const;

const NO_OVERRIDES: Readonly<Record<string, string>> = Object.freeze({});

/** Reply headers that the SAS sets. A value that cannot be a header value is refused. */
export function sasOverrides(query: Query, signed: readonly string[]): Readonly<Record<string, string>> {
  let overrides: Record<string, string> | undefined;
  for (const [name, header] of OVERRIDES) {
    const value = signed.includes(name) ? sasField(query, name) : "";
    if (value === "") continue;
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw badQuery(name, "", "Not a header value.");
    overrides ??= {};
    overrides[header] = value;
  }
  return overrides ?? NO_OVERRIDES;
}

/**
 * The fields of a string to sign, joined by line feeds. `own` has the values of names that are not query
 * parameters ("cr", the canonicalized resource) or are not signed as sent.
 */
export function joinFields(
  query: Query,
  signed: readonly string[],
  own: Readonly<Record<string, string>>,
): string {
  let text = "";
  for (let at = 0; at < signed.length; at++) {
    const name = signed[at]!;
    const value = own[name] ?? sasField(query, name);
    text += at === 0 ? value : `\n${value}`;
  }
  return text;
}

/** A comma list of names (`srh`, `srq`), bounded. */
export function nameList(query: Query, name: string): readonly string[] {
  const text = sasField(query, name);
  if (text === "") return [];
  const names = text.split(",", LIMITS.signedRequestNamesMax + 1);
  if (names.length > LIMITS.signedRequestNamesMax) throw sasFieldInvalid(name);
  return names;
}
