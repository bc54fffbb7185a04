import { answerOf, Refusal, sourceRefusal } from "../../base/refusals.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import type { PathRef } from "../../services/file/names.ts";
import { authenticate } from "../auth/authenticate.ts";
import { authorize } from "../auth/authorize.ts";
import { locateSource, readSourceUrl, withoutSignature } from "../common/copy-address.ts";
import type { RemoteSource } from "../common/copy-source-fetcher.ts";
import { onObject } from "../common/rows.ts";
import type { HttpRequest } from "../exchange.ts";
import type { Permission } from "../operation.ts";
import { type Address, readAddress } from "../target.ts";
import { pathRefOf, readFlag, requireHeader, snapshotOf } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/**
 * The address of what is copied or renamed, and the right to it. A file of this server is found without going over
 * the network; whoever names it must be allowed to read it all the same: by a SAS in the address, by a token of its
 * own, or because the caller's own rights reach it.
 */
export type CopySource =
  | ({ readonly kind: "here" } & OwnSource)
  | ({ readonly kind: "elsewhere"; readonly shown: string } & RemoteSource);

export interface OwnSource {
  readonly ref: PathRef;
  readonly shown: string;
}

export interface SourceOptions {
  /** Where the address stands. */
  readonly header?: string;
  readonly permission?: Permission;
  /** Whether the caller's own rights count; otherwise the address must bring its own. */
  readonly isOwnEnough?: boolean;
}

/**
 * `checkTarget` runs before anything leaves this server, a question for a name included: what cannot be written
 * anyway is not fetched.
 */
export async function readCopySource(
  request: HttpRequest,
  services: FileServices,
  checkTarget: () => Promise<void>,
  options: SourceOptions = {},
): Promise<CopySource> {
  const url = readUrl(request, options);
  const named = await readNamedSource(request, services, url, options);
  if (named !== undefined) return { kind: "here", ...named };
  await checkTarget();
  const place = await services.sources.locate(url);
  if (place.kind === "own" && place.service === "file") {
    const address = readAddress(pathOf(url), url.host, "file", services.sources.isHostStyleAllowed);
    return { kind: "here", ...(await readLocalSource(request, services, url, address, options)) };
  }
  return { kind: "elsewhere", url, place, shown: withoutSignature(url) };
}

/** The source where its name alone says that it is on this server. */
export function readOwnSource(
  request: HttpRequest,
  services: FileServices,
  options: SourceOptions,
): Promise<OwnSource | undefined> {
  return readNamedSource(request, services, readUrl(request, options), options);
}

function readUrl({ headers }: HttpRequest, { header = "x-ms-copy-source" }: SourceOptions): URL {
  return readSourceUrl(requireHeader(headers, header), header, FILE_LIMITS.copySourceCharsMax);
}

function pathOf({ pathname, search }: URL): string {
  return `${pathname}${search}`;
}

async function readNamedSource(
  request: HttpRequest,
  services: FileServices,
  url: URL,
  options: SourceOptions,
): Promise<OwnSource | undefined> {
  const { isHere, isHostStyle } = locateSource(url, request, "file");
  if (!isHere) return undefined;
  const address = readAddress(pathOf(url), url.host, "file", isHostStyle);
  return readLocalSource(request, services, url, address, options);
}

async function readLocalSource(
  request: HttpRequest,
  services: FileServices,
  url: URL,
  address: Address,
  options: SourceOptions,
): Promise<OwnSource> {
  await checkAllowed(request, address, services, options);
  const keepsDots = readFlag(request.headers, "x-ms-source-allow-trailing-dot") ?? false;
  const ref = { ...pathRefOf(address.target, keepsDots), ...snapshotOf(address) };
  return { ref, shown: withoutSignature(url) };
}

/** The source is read by the client that asks for the copy: from its address, by its protocol. */
async function checkAllowed(
  request: HttpRequest,
  { target, query }: Address,
  { auth }: FileServices,
  { permission = onObject(["r"]), isOwnEnough = true }: SourceOptions,
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
    isSecure: request.isSecure,
    remoteAddress: request.remoteAddress,
    version: request.version,
  };
  try {
    const isOwn =
      isOwnEnough && token === undefined && !query.has("sig") && caller.account === target.account;
    await authorize(isOwn ? caller : await authenticate(asked, auth), row, asked, auth);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw sourceRefusal(answerOf(error));
  }
}
