import { badHeader } from "../../base/refusals.ts";
import type { HttpRequest, ServiceName } from "../exchange.ts";

/**
 * The address of a source, from a header. Refusals do not repeat it: it may hold a signature, and error
 * bodies get logged.
 */
export function readSourceUrl(text: string, header: string, charsMax: number): URL {
  if (text.length > charsMax || !URL.canParse(text)) throw badHeader(header, "");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw badHeader(header, "");
  // The fetch would send a user name and password as an Authorization header.
  if (url.username !== "" || url.password !== "") throw badHeader(header, "");
  return url;
}

/**
 * Query parameters that may be shown: those that select a snapshot or version, and those of a SAS but its
 * signature.
 */
const SHOWN = new Set([
  ...["snapshot", "versionid", "sharesnapshot"],
  ...["sv", "ss", "srt", "sr", "st", "se", "sp", "sip", "spr", "si", "sdd", "ses"],
  ...["skoid", "sktid", "skt", "ske", "sks", "skv", "skdutid", "saoid", "suoid", "sduoid", "scid"],
  ...["rscc", "rscd", "rsce", "rscl", "rsct"],
]);

/**
 * The address as the server stores and shows it: without the signature, otherwise unchanged, since clients
 * compare it with what they sent.
 */
export function withoutSignature(url: URL): string {
  const shown = url.search
    .slice(1)
    .split("&")
    .filter((pair) => SHOWN.has(pair.split("=", 1)[0]!.toLowerCase()));
  const search = shown.length === 0 ? "" : `?${shown.join("&")}`;
  return `${url.origin}${url.pathname}${search}`;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Whether a source is on this server by its host name alone, and whether that name contains the account. On
 * this server is the host of the request itself, any loopback name if the request came by one, and another
 * account of a host-style server. So is the account of the caller under its Azure name, because the Azure CLI
 * composes sources that way for any endpoint.
 */
export function locateSource(
  url: URL,
  { target, headers: { host } }: Pick<HttpRequest, "target" | "headers">,
  service: ServiceName,
): { readonly isHere: boolean; readonly isHostStyle: boolean } {
  const isHostStyle = !target.isPathStyle;
  if (url.hostname === `${target.account}.${service}.core.windows.net`) {
    return { isHere: true, isHostStyle: true };
  }
  if (host === undefined) return { isHere: false, isHostStyle };
  const own = host.toLowerCase();
  if (url.host === own) return { isHere: true, isHostStyle };
  const [, ownPort = ""] = /:(\d+)$/.exec(own) ?? [];
  const ownName = own.slice(0, own.length - (ownPort === "" ? 0 : ownPort.length + 1));
  if (url.port !== ownPort) return { isHere: false, isHostStyle };
  // Request and source may differ in style: `account.blob.localhost` is the loopback under another name.
  const isLoopback = (name: string): boolean => LOOPBACK.has(name) || name.endsWith(`.${service}.localhost`);
  if (isLoopback(url.hostname) && isLoopback(ownName)) {
    return { isHere: true, isHostStyle: !LOOPBACK.has(url.hostname) };
  }
  return { isHere: isNeighbour(url.hostname, ownName, service), isHostStyle };
}

/** Another account of the same host-style server. */
function isNeighbour(name: string, own: string, service: ServiceName): boolean {
  const suffix = (text: string): string | undefined => {
    const dot = text.indexOf(".");
    return dot > 0 && text.startsWith(`.${service}.`, dot) ? text.slice(dot) : undefined;
  };
  return suffix(own) !== undefined && suffix(name) === suffix(own);
}
