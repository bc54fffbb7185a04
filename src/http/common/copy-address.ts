import { badHeader } from "../../base/refusals.ts";
import type { HttpRequest, ServiceName } from "../exchange.ts";

/** The address of a source, as copies and renames give it in a header. */

/** The address may hold a signature, and error bodies end in logs: it is not repeated. */
export function readSourceUrl(text: string, header: string, charsMax: number): URL {
  if (text.length > charsMax || !URL.canParse(text)) throw badHeader(header, "");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw badHeader(header, "");
  // A name and password would be sent along as an Authorization header, to wherever the address leads.
  if (url.username !== "" || url.password !== "") throw badHeader(header, "");
  return url;
}

/** What an address may hold and be shown with: which state is meant, and of a SAS all but what proves it. */
const SHOWN = new Set([
  ...["snapshot", "versionid", "sharesnapshot"],
  ...["sv", "ss", "srt", "sr", "st", "se", "sp", "sip", "spr", "si", "sdd", "ses"],
  ...["skoid", "sktid", "skt", "ske", "sks", "skv", "skdutid", "saoid", "suoid", "sduoid", "scid"],
  ...["rscc", "rscd", "rsce", "rscl", "rsct"],
]);

/**
 * What is remembered and shown of it: enough to know it again, nothing to use it with. As it was sent otherwise:
 * clients compare it with what they sent, but for the signature.
 */
export function withoutSignature(url: URL): string {
  const kept = url.search
    .slice(1)
    .split("&")
    .filter((pair) => SHOWN.has(pair.split("=", 1)[0]!.toLowerCase()));
  const search = kept.length === 0 ? "" : `?${kept.join("&")}`;
  return `${url.origin}${url.pathname}${search}`;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Whether a source is on this server, and whether its account stands in its host name: the same place the client
 * is talking to, by any name a loopback has, or another account beside it. The caller's account by its name on
 * Azure means this server too: the Azure CLI puts sources together that way, whatever endpoint it talks to.
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
  // Client and source may differ in style: `account.blob.localhost` is the loopback under one more name.
  const isLoopback = (name: string): boolean => LOOPBACK.has(name) || name.endsWith(`.${service}.localhost`);
  if (isLoopback(url.hostname) && isLoopback(ownName)) {
    return { isHere: true, isHostStyle: !LOOPBACK.has(url.hostname) };
  }
  return { isHere: isBeside(url.hostname, ownName, service), isHostStyle };
}

/** Another account of the same host-style server. */
function isBeside(name: string, own: string, service: ServiceName): boolean {
  const suffix = (text: string): string | undefined => {
    const dot = text.indexOf(".");
    return dot > 0 && text.startsWith(`.${service}.`, dot) ? text.slice(dot) : undefined;
  };
  return suffix(own) !== undefined && suffix(name) === suffix(own);
}
