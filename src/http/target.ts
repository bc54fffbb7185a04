import { LIMITS } from "../base/limits.ts";
import { Refusal } from "../base/refusals.ts";
import type { Query, ServiceName, Target } from "./exchange.ts";

/**
 * Where a request points, from its request line and Host header.
 *
 *   path-style   http://127.0.0.1:10000/devstoreaccount1/container/blob
 *   host-style   http://devstoreaccount1.blob.localhost:10000/container/blob
 *   website      http://devstoreaccount1.web.localhost:10000/page.html, a blob of $web
 *
 * An account name followed by `-secondary` is the read-only twin of the account.
 */
const SECONDARY = "-secondary";

export interface Address {
  readonly target: Target;
  readonly query: Query;
}

export function readAddress(
  url: string,
  host: string | undefined,
  service: ServiceName,
  isHostStyleAllowed: boolean,
): Address {
  if (url.length > LIMITS.targetBytesMax) throw new Refusal("InvalidUri");
  // Some clients send the absolute form; what counts is the same.
  const relative = url.charCodeAt(0) === 0x2f ? url : relativeOf(url);
  const mark = relative.indexOf("?");
  const rawPath = mark < 0 ? relative : relative.slice(0, mark);
  const query = readQuery(mark < 0 ? "" : relative.slice(mark + 1));
  const isWebsite = isHostStyleAllowed && service === "blob" && accountOfHost(host, "web") !== undefined;
  const hostAccount = isHostStyleAllowed ? accountOfHost(host, isWebsite ? "web" : service) : undefined;
  const account = hostAccount ?? firstSegment(rawPath);
  const isSecondary = account.endsWith(SECONDARY);
  const name = isSecondary ? account.slice(0, -SECONDARY.length) : account;
  let rest = hostAccount === undefined ? rawPath.slice(1 + account.length) : rawPath;
  // Python's Table client puts the secondary's name in front of the primary's instead of in its place.
  if (isSecondary && service === "table" && rest.startsWith(`/${name}/`)) rest = rest.slice(1 + name.length);
  return {
    target: {
      service,
      account: name,
      isSecondary,
      isPathStyle: hostAccount === undefined,
      ...(isWebsite ? { isWebsite } : {}),
      rawPath,
      path: pathOf(rest.startsWith("/") ? rest.slice(1) : rest, service),
    },
    query,
  };
}

function relativeOf(url: string): string {
  const parts = /^https?:\/\/[^/?]*([/?].*)?$/i.exec(url);
  if (parts === null) throw new Refusal("InvalidUri");
  const rest = parts[1] ?? "/";
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function firstSegment(rawPath: string): string {
  const end = rawPath.indexOf("/", 1);
  return end < 0 ? rawPath.slice(1) : rawPath.slice(1, end);
}

/** `account.blob.anything` names an account; an IP address or a bare host name does not. */
function accountOfHost(host: string | undefined, service: ServiceName | "web"): string | undefined {
  if (host === undefined) return undefined;
  const dot = host.indexOf(".");
  if (dot <= 0 || !host.startsWith(`.${service}.`, dot)) return undefined;
  return host.slice(0, dot).toLowerCase();
}

/**
 * Blob takes a backslash for the slash that Windows programs mean by it; names in a query stay as they are. A SAS is
 * signed for the name with slashes. File has no such name, and refuses it.
 */
function pathOf(rest: string, service: ServiceName): string {
  const path = decodePath(rest);
  const hasBackslashes = service === "blob" && path.includes("\\");
  return hasBackslashes ? path.replaceAll("\\", "/") : path;
}

function decodePath(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    throw new Refusal("InvalidUri");
  }
}

const NO_QUERY: Query = { pairs: [], get: () => undefined, has: () => false };

export function readQuery(text: string): Query {
  if (text === "") return NO_QUERY;
  const pairs: [string, string][] = [];
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf("&", start);
    if (end < 0) end = text.length;
    if (end > start) {
      const equals = text.indexOf("=", start);
      const isNamed = equals >= 0 && equals < end;
      const name = decodeQuery(text.slice(start, isNamed ? equals : end)).toLowerCase();
      pairs.push([name, isNamed ? decodeValue(name, text.slice(equals + 1, end)) : ""]);
    }
    start = end + 1;
  }
  return new PairQuery(pairs);
}

/**
 * Go's clients (rclone among them) send a space as a plus sign, and sign it as the space they mean. Signatures
 * and block ids are Base64, which has no spaces: a plus sign in them is one that a careless client left as it was.
 */
function decodeValue(name: string, text: string): string {
  const isPlain = !text.includes("+") || name === "sig" || name === "blockid";
  return decodeQuery(isPlain ? text : text.replaceAll("+", " "));
}

function decodeQuery(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refusal("InvalidUri");
  }
}

class PairQuery implements Query {
  readonly pairs: readonly (readonly [string, string])[];

  constructor(pairs: readonly (readonly [string, string])[]) {
    this.pairs = pairs;
  }

  get(name: string): string | undefined {
    for (const pair of this.pairs) if (pair[0] === name) return pair[1];
    const lower = name.toLowerCase();
    return lower === name ? undefined : this.get(lower);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }
}
