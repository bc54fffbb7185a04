import { Refusal } from "../../base/refusals.ts";
import type { LocalSource } from "../../services/blob/copy-source.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { authenticate } from "../auth/authenticate.ts";
import { authorize } from "../auth/authorize.ts";
import { readSourceUrl, withoutSignature } from "../common/copy-address.ts";
import { checkSource, isOfCaller, type SourceReader } from "../common/copy-source.ts";
import { requireHeader } from "../common/read-headers.ts";
import { onObject } from "../common/rows.ts";
import type { HttpRequest } from "../exchange.ts";
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
export function blobSource(request: HttpRequest, services: BlobServices): SourceReader<LocalSource> {
  const header = "x-ms-copy-source";
  const { caller, headers } = request;
  const url = readSourceUrl(requireHeader(headers, header), header, BLOB_LIMITS.copySourceCharsMax);
  const readLocal = async (address: Address): Promise<LocalSource> => {
    const isOwn = (caller.kind === "owner" || caller.kind === "bearer") && isOfCaller(request, address);
    if (!isOwn) await checkMayRead(request, address, services);
    return {
      ref: readBlobRef(address),
      selector: readSelector(address.query),
      shown: withoutSignature(url),
      conditions: readSourceConditions(headers),
      keySha256: readCustomerKey(headers, SOURCE_KEY),
      isOwn,
    };
  };
  return { request, sources: services.sources, service: "blob", url, readLocal };
}

const READ_BLOB: { readonly resource: "blob"; readonly permission: Permission } = {
  resource: "blob",
  permission: { ...onObject("r"), anonymous: "blob" },
};

function checkMayRead(request: HttpRequest, address: Address, { auth }: BlobServices): Promise<void> {
  const { headers } = request;
  return checkSource(request, address, async (read) => {
    const reader = await authenticate(read, auth);
    await authorize(reader, READ_BLOB, read, auth);
    const readsTags = headers["x-ms-source-if-tags"] !== undefined || copiesSourceTags(headers);
    if (readsTags && !mayTouchTags(reader)) throw new Refusal("AuthorizationPermissionMismatch");
  });
}
