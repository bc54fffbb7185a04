import type { Instant } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import type { Headers } from "../exchange.ts";
import { parseHttpDate } from "../wire/dates.ts";
import type { Caller } from "./caller.ts";
import { canonicalHeaders, canonicalHeadersAs, canonicalQuery, signedHeaderNames } from "./canonical.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
import { compareHeaderNames } from "./header-order.ts";
import { authenticationFailed, sharedKeyMismatch } from "./refuse.ts";
import { isSigned } from "./verify.ts";

/**
 * Shared Key and Shared Key Lite: `Authorization: SharedKey account:signature`.
 *
 * The common request costs one string and one HMAC. Only when that does not match does the server try the
 * other strings that a correct client may have signed; each of them binds the same method, path, headers and
 * query.
 */
const ZERO_LENGTH_IS_EMPTY_SINCE = "2015-02-21";
const SCHEME = "SharedKey ";
const SCHEME_LITE = "SharedKeyLite ";

type Scheme = "full" | "lite";

/** undefined when the Authorization header is of another kind. */
export function sharedKeyScheme(authorization: string): Scheme | undefined {
  if (authorization.startsWith(SCHEME)) return "full";
  return authorization.startsWith(SCHEME_LITE) ? "lite" : undefined;
}

export function authenticateSharedKey(
  request: Unauthenticated,
  context: AuthContext,
  authorization: string,
  scheme: Scheme,
): Caller {
  const nameAt = scheme === "full" ? SCHEME.length : SCHEME_LITE.length;
  const colonAt = authorization.indexOf(":", nameAt);
  if (colonAt <= nameAt || colonAt === authorization.length - 1) {
    throw new Refusal("InvalidAuthenticationInfo");
  }
  checkDate(request.headers, context.clock.now());

  const { target } = request;
  const isOwnName =
    colonAt - nameAt === target.account.length && authorization.startsWith(target.account, nameAt);
  const account = isOwnName ? context.accounts.find(target.account) : undefined;
  const start = colonAt + 1;
  const signedHeaders = target.service === "table" ? "" : canonicalHeaders(request.headers, request.version);
  const text = stringToSign(request, scheme, target.rawPath, signedHeaders);
  let isOwner = isSigned(account, text, authorization, start);
  if (!isOwner)
    for (const other of otherStrings(request, scheme))
      isOwner ||= other !== text && isSigned(account, other, authorization, start);
  if (!isOwner) throw sharedKeyMismatch(text);
  return { kind: "owner", account: target.account };
}

/** A clock may be neither fast nor slow. */
function checkDate(headers: Headers, now: Instant): void {
  const text = headers["x-ms-date"] ?? headers.date;
  if (text === undefined) throw authenticationFailed("Neither the Date nor the x-ms-date header is given.");
  const sentAt = parseHttpDate(text);
  if (sentAt !== undefined && Math.abs(now - sentAt) <= LIMITS.clockSkewMillis) return;
  // The wording of the service: tools look for it to report a wrong clock.
  if (sentAt !== undefined && sentAt < now)
    throw authenticationFailed(`Request date header too old: '${text}'`);
  const name = headers["x-ms-date"] === undefined ? "Date" : "x-ms-date";
  const reason =
    sentAt === undefined
      ? "is not in the correct format"
      : "is more than 15 minutes ahead of the server's clock";
  throw authenticationFailed(`The ${name} header in the request ${reason}: '${text}'.`);
}

function stringToSign(
  request: Unauthenticated,
  scheme: Scheme,
  rawPath: string,
  signedHeaders: string,
): string {
  const { method, headers, target, query } = request;
  const resource = `/${target.account}${rawPath}`;
  if (target.service === "table") {
    const date = headers["x-ms-date"] ?? headers.date ?? "";
    const tableResource = resource + compOf(request);
    if (scheme === "lite") return `${date}\n${tableResource}`;
    return `${method}\n${headers["content-md5"] ?? ""}\n${headers["content-type"] ?? ""}\n${date}\n${tableResource}`;
  }
  const date = headers["x-ms-date"] === undefined ? (headers.date ?? "") : "";
  if (scheme === "lite") {
    return `${method}\n${headers["content-md5"] ?? ""}\n${headers["content-type"] ?? ""}\n${date}\n${signedHeaders}${resource}${compOf(request)}`;
  }
  return `${method}\n${contentLines(request)}${date}\n${conditionLines(headers)}${signedHeaders}${resource}${canonicalQuery(query)}`;
}

// Most requests have none of these headers, and then their lines are one constant: joining empty strings one
// by one costs a third of the whole string.

function contentLines(request: Unauthenticated): string {
  const { headers } = request;
  const encoding = headers["content-encoding"];
  const language = headers["content-language"];
  const md5 = headers["content-md5"];
  const type = headers["content-type"];
  const length = lengthOf(request);
  if (encoding === undefined && language === undefined && md5 === undefined) {
    if (type === undefined && length === "") return "\n\n\n\n\n";
    return `\n\n${length}\n\n${type ?? ""}\n`;
  }
  return `${encoding ?? ""}\n${language ?? ""}\n${length}\n${md5 ?? ""}\n${type ?? ""}\n`;
}

function conditionLines(headers: Headers): string {
  const modified = headers["if-modified-since"];
  const match = headers["if-match"];
  const noneMatch = headers["if-none-match"];
  const unmodified = headers["if-unmodified-since"];
  const { range } = headers;
  if (modified === undefined && match === undefined && noneMatch === undefined && unmodified === undefined) {
    return range === undefined ? "\n\n\n\n\n" : `\n\n\n\n${range}\n`;
  }
  return `${modified ?? ""}\n${match ?? ""}\n${noneMatch ?? ""}\n${unmodified ?? ""}\n${range ?? ""}\n`;
}

function lengthOf({ headers, version }: Unauthenticated): string {
  const length = headers["content-length"];
  if (length === undefined) return "";
  return length === "0" && (version >= ZERO_LENGTH_IS_EMPTY_SINCE || version === "") ? "" : length;
}

function compOf({ query }: Unauthenticated): string {
  if (query.pairs.length === 0) return "";
  const comp = query.get("comp");
  return comp === undefined || comp === "" ? "" : `?comp=${comp}`;
}

/**
 * Other strings that a correct client may have signed:
 * - the path of a secondary, path-style address with the account's plain name in it;
 * - header names in the service's own order instead of by character code;
 * - header values with runs of white space folded, as the documentation requires and few clients do.
 */
function otherStrings(request: Unauthenticated, scheme: Scheme): Set<string> {
  const { target } = request;
  const paths = [target.rawPath];
  const secondary = `/${target.account}-secondary`;
  if (target.isSecondary && target.isPathStyle && target.rawPath.startsWith(secondary)) {
    const rest = target.rawPath.slice(secondary.length);
    paths.push(`/${target.account}${rest}`);
    // Python's Table client puts the secondary's name in front of an address it has signed without it.
    if (target.service === "table" && rest.startsWith(`/${target.account}/`)) paths.push(rest);
  }
  const texts = new Set<string>();
  for (const path of paths) {
    for (const headers of otherHeaderTexts(request)) texts.add(stringToSign(request, scheme, path, headers));
  }
  return texts;
}

function otherHeaderTexts({ headers, target, version }: Unauthenticated): string[] {
  if (target.service === "table") return [""];
  const byCode = signedHeaderNames(headers);
  const byService = byCode.toSorted(compareHeaderNames);
  const folded = foldedHeaders(headers, byCode);
  return [headers, folded].flatMap((values) =>
    [byCode, byService].map((ordered) => canonicalHeadersAs(values, ordered, version)),
  );
}

function foldedHeaders(headers: Headers, signed: readonly string[]): Headers {
  const folded: Record<string, string> = {};
  for (const name of signed) {
    // White space inside quotes stays as it is.
    const value = (headers[name] ?? "").replaceAll(/"[^"]*"|[ \t\r\n]+/g, (run) =>
      run[0] === '"' ? run : " ",
    );
    folded[name] = value.trim();
  }
  return folded;
}
