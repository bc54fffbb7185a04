import { Refusal } from "../../base/refusals.ts";
import type { LocalSource } from "../../services/blob/copy-blob.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { authenticate } from "../auth/authenticate.ts";
import { authorize } from "../auth/authorize.ts";
import { readSourceUrl, withoutSignature } from "../common/copy-address.ts";
import {
  type CopySource,
  checkSource,
  locateCopySource,
  readNamedSource,
  type SourceReader,
} from "../common/copy-source.ts";
import { requireHeader } from "../common/read-headers.ts";
import { onObject } from "../common/rows.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
import type { Permission } from "../operation.ts";
import type { Address } from "../target.ts";
import { readSourceConditions } from "./read-conditions.ts";
import {
  copiesSourceTags,
  mayTouchTags,
  readBlobRef,
  readCustomerKey,
  readSelector,
  SOURCE_KEY,
} from "./read-request.ts";
import type { BlobServices } from "./services.ts";

/**
 * x-ms-copy-source: the source of a copy, and the permission to read it: by a SAS in the address, by a token
 * of its own, by public access, or because the owner of the account copies a blob of the account. (Azure
 * accepts the credentials of the owner for Copy Blob only; Azurite, and samples written for it, for all
 * operations.)
 */
export type BlobSource = CopySource<LocalSource>;

export function readCopySource(
  request: HttpRequest,
  services: BlobServices,
  checkTarget: () => Promise<void>,
): Promise<BlobSource> {
  return locateCopySource(request, services.sources, readerOf(request, services), checkTarget);
}

/** The source, if its host name alone shows that it is on this server. */
export function readOwnSource(
  request: HttpRequest,
  services: BlobServices,
): Promise<LocalSource | undefined> {
  return readNamedSource(request, readerOf(request, services));
}

function readerOf(request: HttpRequest, services: BlobServices): SourceReader<LocalSource> {
  const header = "x-ms-copy-source";
  const { headers } = request;
  const url = readSourceUrl(requireHeader(headers, header), header, BLOB_LIMITS.copySourceCharsMax);
  const readLocal = async (address: Address): Promise<LocalSource> => {
    const isOwner = isOwn(request, address);
    if (!isOwner) await checkMayRead(request, address, services);
    return {
      ref: readBlobRef(address),
      selector: readSelector(address.query),
      shown: withoutSignature(url),
      conditions: readSourceConditions(headers),
      keySha256: readCustomerKey(headers, SOURCE_KEY),
      isOwn: isOwner,
    };
  };
  return { service: "blob", url, readLocal };
}

const READ_BLOB: { readonly resource: "blob"; readonly permission: Permission } = {
  resource: "blob",
  permission: { ...onObject("r"), anonymous: "blob" },
};

function readsTags(headers: Headers): boolean {
  return headers["x-ms-source-if-tags"] !== undefined || copiesSourceTags(headers);
}

function isOwn({ caller, headers }: HttpRequest, { target, query }: Address): boolean {
  const ownsAccount =
    (caller.kind === "owner" || caller.kind === "bearer") && caller.account === target.account;
  return ownsAccount && headers["x-ms-copy-source-authorization"] === undefined && !query.has("sig");
}

function checkMayRead(request: HttpRequest, address: Address, { auth }: BlobServices): Promise<void> {
  return checkSource(request, address, async (read) => {
    const reader = await authenticate(read, auth);
    await authorize(reader, READ_BLOB, read, auth);
    if (readsTags(request.headers) && !mayTouchTags(reader)) {
      throw new Refusal("AuthorizationPermissionMismatch");
    }
  });
}
