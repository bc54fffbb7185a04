import { BLOB_LIMITS } from "../../base/limits-blob.ts";
import { answerOf, Refusal, sourceRefusal } from "../../base/refusals.ts";
import type { LocalSource } from "../../services/blob/copy-blob.ts";
import { authenticate } from "../auth/authenticate.ts";
import { authorize } from "../auth/authorize.ts";
import { locateSource, readSourceUrl, withoutSignature } from "../common/copy-address.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
import type { Permission } from "../operation.ts";
import { type Address, readAddress } from "../target.ts";
import { mayTouchTags, readCustomerKey, readSelector, SOURCE_KEY } from "./blob-headers.ts";
import { readBlobRef, readSourceConditions, requireHeader } from "./read-request.ts";
import { type BlobServices, onBlob } from "./rows.ts";

/**
 * x-ms-copy-source: the address of what is to be copied, and the right to read it. A blob of this server is
 * found without going over the network; whoever copies it must be allowed to read it all the same: by a SAS in
 * the address, by a token of its own, because it is public, or because the account's owner asks for a blob of
 * the account. (Azure takes the owner's word for Copy Blob only; Azurite, and samples written for it, for all.)
 */
export type CopySource =
  | ({ readonly kind: "here" } & LocalSource)
  | { readonly kind: "elsewhere"; readonly url: URL; readonly shown: string };

export async function readCopySource(request: HttpRequest, services: BlobServices): Promise<CopySource> {
  const header = "x-ms-copy-source";
  const url = readSourceUrl(requireHeader(request.headers, header), header, BLOB_LIMITS.copySourceCharsMax);
  const shown = withoutSignature(url);
  const { isHere, isHostStyle } = locateSource(url, request, "blob");
  if (!isHere) return { kind: "elsewhere", url, shown };
  const address = readAddress(`${url.pathname}${url.search}`, url.host, "blob", isHostStyle);
  const isOwnersWord = isOwn(request, address);
  if (!isOwnersWord) await checkMayRead(request, url, address, services);
  return {
    kind: "here",
    ref: readBlobRef(address),
    selector: readSelector(address.query),
    shown,
    conditions: readSourceConditions(request.headers),
    keySha256: readCustomerKey(request.headers, SOURCE_KEY),
    isOwn: isOwnersWord,
  };
}

const READ_BLOB: { readonly resource: "blob"; readonly permission: Permission } = {
  resource: "blob",
  permission: { ...onBlob(["r"]), anonymous: "blob" },
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

async function checkMayRead(
  request: HttpRequest,
  url: URL,
  { target, query }: Address,
  { auth }: BlobServices,
): Promise<void> {
  const token = request.headers["x-ms-copy-source-authorization"];
  const asked = {
    method: "GET",
    target,
    query,
    headers: { "x-ms-version": request.version, authorization: token },
    isSecure: url.protocol === "https:" || request.isSecure,
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
