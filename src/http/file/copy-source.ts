import { FILE_LIMITS } from "../../base/limits-file.ts";
import { badHeader, Refusal, type RefusalCode } from "../../base/refusals.ts";
import type { PathRef } from "../../services/file/names.ts";
import { authenticate } from "../auth/authenticate.ts";
import { authorize } from "../auth/authorize.ts";
import type { HttpRequest } from "../exchange.ts";
import type { Permission } from "../operation.ts";
import { type Address, readAddress } from "../target.ts";
import { pathRefOf, readFlag, requireHeader, snapshotOf } from "./read-request.ts";
import { type FileServices, onNode } from "./rows.ts";

/**
 * The address of what is copied or renamed, and the right to it. A file of this server is found without going over
 * the network; whoever names it must be allowed to read it all the same: by a SAS in the address, by a token of its
 * own, or because the caller's own rights reach it.
 */
export type CopySource =
  | { readonly kind: "here"; readonly ref: PathRef; readonly shown: string }
  | { readonly kind: "elsewhere"; readonly url: URL; readonly shown: string };

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

export async function readCopySource(
  request: HttpRequest,
  services: FileServices,
  options: { readonly header?: string; readonly permission?: Permission } = {},
): Promise<CopySource> {
  const { header = "x-ms-copy-source", permission = onNode(["r"]) } = options;
  const url = urlOf(requireHeader(request.headers, header), header);
  const shown = withoutSignature(url);
  if (!isThisServer(url, request.headers.host)) return { kind: "elsewhere", url, shown };
  const address = readAddress(`${url.pathname}${url.search}`, url.host, "file", !request.target.isPathStyle);
  await checkAllowed(request, url, address, services, permission);
  const keepsDots = readFlag(request.headers, "x-ms-source-allow-trailing-dot") ?? false;
  return { kind: "here", ref: { ...pathRefOf(address.target, keepsDots), ...snapshotOf(address) }, shown };
}

function urlOf(text: string, header: string): URL {
  // The address may hold a signature, and error bodies end in logs: it is not repeated.
  const isShort = text.length <= FILE_LIMITS.copySourceCharsMax;
  if (!isShort || !URL.canParse(text)) throw badHeader(header, "");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw badHeader(header, "");
  return url;
}

/** What is remembered and shown of it: enough to know it again, nothing to use it with. */
function withoutSignature(url: URL): string {
  const snapshot = url.searchParams.get("sharesnapshot") ?? url.searchParams.get("snapshot");
  const name = url.searchParams.has("sharesnapshot") ? "sharesnapshot" : "snapshot";
  return `${url.origin}${url.pathname}${snapshot === null ? "" : `?${name}=${encodeURIComponent(snapshot)}`}`;
}

/** The same place the client is talking to, by any name a loopback has, or another account beside it. */
function isThisServer(url: URL, host: string | undefined): boolean {
  if (host === undefined) return false;
  const own = host.toLowerCase();
  if (url.host === own) return true;
  const [, ownPort = ""] = /:(\d+)$/.exec(own) ?? [];
  const ownName = own.slice(0, own.length - (ownPort === "" ? 0 : ownPort.length + 1));
  if (url.port !== ownPort) return false;
  if (LOOPBACK.has(url.hostname) && LOOPBACK.has(ownName)) return true;
  const suffix = (name: string): string | undefined => /^[^.]+(\.file\..+)$/.exec(name)?.[1];
  return suffix(ownName) !== undefined && suffix(url.hostname) === suffix(ownName);
}

const CODES: Readonly<Record<number, RefusalCode>> = {
  400: "CopySourceBadRequest",
  401: "CopySourceUnauthenticated",
  403: "CopySourceForbidden",
  404: "CopySourceNotFound",
};

/** What the source answered, in the words of a copy. */
export function sourceRefusal(status: number): Refusal {
  return new Refusal(CODES[status] ?? "CannotVerifyCopySource");
}

async function checkAllowed(
  request: HttpRequest,
  url: URL,
  { target, query }: Address,
  { auth }: FileServices,
  permission: Permission,
): Promise<void> {
  const { caller } = request;
  const token = request.headers["x-ms-copy-source-authorization"];
  const row = { resource: "file" as const, permission };
  const asked = {
    method: "GET",
    target,
    query,
    headers: {
      "x-ms-version": request.version,
      "x-ms-file-request-intent": request.headers["x-ms-file-request-intent"],
      authorization: token,
    },
    isSecure: url.protocol === "https:" || request.isSecure,
    remoteAddress: request.remoteAddress,
    version: request.version,
  };
  try {
    const isOwn = token === undefined && !query.has("sig") && caller.account === target.account;
    await authorize(isOwn ? caller : await authenticate(asked, auth), row, asked, auth);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw sourceRefusal(error.row.http);
  }
}
