import { LIMITS } from "../base/limits.ts";
import { Refusal } from "../base/refusals.ts";
import type { Query, ServiceName, Target } from "./exchange.ts";
import { decoded, readQuery } from "./query.ts";

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
  // Python's clients put the secondary's name in front of the primary's instead of in its place.
  const isTwice = isSecondary && hostAccount === undefined && rest.startsWith(`/${name}/`);
  if (isTwice && service !== "file") rest = rest.slice(1 + name.length);
  const target = {
    service,
    account: name,
    isSecondary,
    isPathStyle: hostAccount === undefined,
    rawPath,
    path: pathOf(rest.startsWith("/") ? rest.slice(1) : rest, service),
  };
  return { target: isWebsite ? { ...target, isWebsite } : target, query };
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
 * Blob and File take a backslash for the slash that Windows programs mean by it; names in a query stay as
 * they are. A SAS is signed for the name with slashes.
 */
function pathOf(rest: string, service: ServiceName): string {
  const path = decoded(rest);
  const hasBackslashes = (service === "blob" || service === "file") && path.includes("\\");
  return hasBackslashes ? path.replaceAll("\\", "/") : path;
}
