import { answerOf, Refusal, sourceRefusal } from "../../base/refusals.ts";
import type { LocalSource } from "../../services/blob/copy-blob.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { authenticate } from "../auth/authenticate.ts";
import { authorize } from "../auth/authorize.ts";
import { locateSource, readSourceUrl, withoutSignature } from "../common/copy-address.ts";
import type { RemoteSource } from "../common/copy-source-fetcher.ts";
import { onObject } from "../common/rows.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
import type { Permission } from "../operation.ts";
import { type Address, readAddress } from "../target.ts";
import { mayTouchTags, readCustomerKey, readSelector, SOURCE_KEY } from "./blob-headers.ts";
import { readBlobRef, readSourceConditions, requireHeader } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

/**
 * x-ms-copy-source: the address of what is to be copied, and the right to read it. A blob of this server is
 * found without going over the network; whoever copies it must be allowed to read it all the same: by a SAS in
 * the address, by a token of its own, because it is public, or because the account's owner asks for a blob of
 * the account. (Azure takes the owner's word for Copy Blob only; Azurite, and samples written for it, for all.)
 */
export type CopySource =
  | ({ readonly kind: "here" } & LocalSource)
  | ({ readonly kind: "elsewhere"; readonly shown: string } & RemoteSource);

/**
 * `checkTarget` runs before anything leaves this server, a question for a name included: what cannot be written
 * anyway is not fetched.
 */
export async function readCopySource(
  request: HttpRequest,
  services: BlobServices,
  checkTarget: () => Promise<void>,
): Promise<CopySource> {
  const url = readUrl(request);
  const named = await readNamedSource(request, services, url);
  if (named !== undefined) return { kind: "here", ...named };
  await checkTarget();
  const place = await services.sources.locate(url);
  if (place.kind === "own" && place.service === "blob") {
    const address = readAddress(pathOf(url), url.host, "blob", services.sources.isHostStyleAllowed);
    const isBlob = address.target.isWebsite !== true;
    if (isBlob) return { kind: "here", ...(await readLocalSource(request, services, url, address)) };
  }
  return { kind: "elsewhere", url, place, shown: withoutSignature(url) };
}

/** The source where its name alone says that it is on this server. */
export function readOwnSource(
  request: HttpRequest,
  services: BlobServices,
): Promise<LocalSource | undefined> {
  return readNamedSource(request, services, readUrl(request));
}

function readUrl({ headers }: HttpRequest): URL {
  const header = "x-ms-copy-source";
  return readSourceUrl(requireHeader(headers, header), header, BLOB_LIMITS.copySourceCharsMax);
}

function pathOf({ pathname, search }: URL): string {
  return `${pathname}${search}`;
}

async function readNamedSource(
  request: HttpRequest,
  services: BlobServices,
  url: URL,
): Promise<LocalSource | undefined> {
  const { isHere, isHostStyle } = locateSource(url, request, "blob");
  if (!isHere) return undefined;
  return readLocalSource(request, services, url, readAddress(pathOf(url), url.host, "blob", isHostStyle));
}

async function readLocalSource(
  request: HttpRequest,
  services: BlobServices,
  url: URL,
  address: Address,
): Promise<LocalSource> {
  const isOwnersWord = isOwn(request, address);
  if (!isOwnersWord) await checkMayRead(request, address, services);
  return {
    ref: readBlobRef(address),
    selector: readSelector(address.query),
    shown: withoutSignature(url),
    conditions: readSourceConditions(request.headers),
    keySha256: readCustomerKey(request.headers, SOURCE_KEY),
    isOwn: isOwnersWord,
  };
}

const READ_BLOB: { readonly resource: "blob"; readonly permission: Permission } = {
  resource: "blob",
  permission: { ...onObject(["r"]), anonymous: "blob" },
};

function looksAtTags(headers: Headers): boolean {
  return (
    headers["x-ms-source-if-tags"] !== undefined ||
    headers["x-ms-copy-source-tag-option"]?.toUpperCase() === "COPY"
  );
}

function isOwn({ caller, headers }: HttpRequest, { target, query }: Address): boolean {
  const isOwner = (caller.kind === "owner" || caller.kind === "bearer") && caller.account === target.account;
  return isOwner && headers["x-ms-copy-source-authorization"] === undefined && !query.has("sig");
}

/** The source is read by the client that asks for the copy: from its address, by its protocol. */
async function checkMayRead(
  request: HttpRequest,
  { target, query }: Address,
  { auth }: BlobServices,
): Promise<void> {
  const token = request.headers["x-ms-copy-source-authorization"];
  const asked = {
    method: "GET",
    target,
    query,
    headers: { "x-ms-version": request.version, authorization: token },
    isSecure: request.isSecure,
    remoteAddress: request.remoteAddress,
    version: request.version,
  };
  try {
    const reader = await authenticate(asked, auth);
    await authorize(reader, READ_BLOB, asked, auth);
    if (looksAtTags(request.headers) && !mayTouchTags(reader)) {
      throw new Refusal("AuthorizationPermissionMismatch");
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw sourceRefusal(answerOf(error));
  }
}
