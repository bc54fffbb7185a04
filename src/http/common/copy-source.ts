import { answerOf, Refusal, sourceRefusal } from "../../base/refusals.ts";
import type { Unauthenticated } from "../auth/context.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
import { type Address, readAddress } from "../target.ts";
import { locateSource, withoutSignature } from "./copy-address.ts";
import type { CopySourceFetcher, RemoteSource } from "./copy-source-fetcher.ts";

/** The source of a copy: on this server, where the copy needs no network, or elsewhere. */
export type CopySource<Local> =
  | ({ readonly kind: "here" } & Local)
  | ({ readonly kind: "elsewhere"; readonly shown: string } & RemoteSource);

export interface SourceReader<Local> {
  readonly request: HttpRequest;
  readonly sources: CopySourceFetcher;
  readonly service: "blob" | "file";
  readonly url: URL;
  /** Reads what the address names on this server, after it has checked that the caller may read it. */
  readonly readLocal: (address: Address) => Promise<Local>;
}

/**
 * `checkTarget` runs before any network access, name resolution included: a copy that cannot write its target
 * fetches nothing.
 */
export async function locateCopySource<Local>(
  reader: SourceReader<Local>,
  checkTarget: () => Promise<void>,
): Promise<CopySource<Local>> {
  const named = await readNamedSource(reader);
  if (named !== undefined) return { kind: "here", ...named };
  await checkTarget();
  const { sources, url, service } = reader;
  const place = await sources.locate(url);
  if (place.kind === "own" && place.service === service) {
    const address = readAddress(pathOf(url), url.host, service, sources.isHostStyleAllowed);
    if (address.target.isWebsite !== true) return { kind: "here", ...(await reader.readLocal(address)) };
  }
  return { kind: "elsewhere", url, place, shown: withoutSignature(url) };
}

/** The source, if its host name alone shows that it is on this server. */
export async function readNamedSource<Local>({
  request,
  service,
  url,
  readLocal,
}: SourceReader<Local>): Promise<Local | undefined> {
  const { isHere, isHostStyle } = locateSource(url, request, service);
  if (!isHere) return undefined;
  return readLocal(readAddress(pathOf(url), url.host, service, isHostStyle));
}

/** Whether the source is of the account of the caller and has no credentials of its own. */
export function isOfCaller({ caller, headers }: HttpRequest, { target, query }: Address): boolean {
  const hasOwn = headers["x-ms-copy-source-authorization"] !== undefined || query.has("sig");
  return !hasOwn && caller.account === target.account;
}

function pathOf({ pathname, search }: URL): string {
  return `${pathname}${search}`;
}

/**
 * Checks the permission to read the source, as a request for it from the IP address and over the protocol of
 * the caller. A refusal of that request becomes the refusal of the copy.
 */
export async function checkSource(
  request: HttpRequest,
  { target, query }: Address,
  check: (read: Unauthenticated) => Promise<void>,
  headers: Headers = {},
): Promise<void> {
  const { isSecure, remoteAddress, version } = request;
  const authorization = request.headers["x-ms-copy-source-authorization"];
  const all = { "x-ms-version": version, ...headers, authorization };
  try {
    await check({ method: "GET", target, query, headers: all, isSecure, remoteAddress, version });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw sourceRefusal(answerOf(error));
  }
}
