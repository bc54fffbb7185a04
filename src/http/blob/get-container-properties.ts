import { NO_CONDITIONS } from "../../concurrency/conditions.ts";
import { getContainerProperties } from "../../services/blob/get-container-properties.ts";
import { readLeaseId } from "../common/read-headers.ts";
import { leaseHeaders, metadataHeaders } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { withoutNewer } from "../wire/since.ts";
import { readContainerRef } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

export async function readContainer(
  request: HttpRequest,
  { blobs }: BlobServices,
): ReturnType<typeof getContainerProperties> {
  return getContainerProperties(blobs, {
    ref: readContainerRef(request),
    conditions: NO_CONDITIONS,
    leaseId: readLeaseId(request.headers),
  });
}

export async function handleGetContainerProperties(
  request: HttpRequest,
  services: BlobServices,
): Promise<HttpReply> {
  const { record, now } = await readContainer(request, services);
  const { encryptionScope } = record;
  const headers = withoutNewer(request.version, {
    ...metadataHeaders(record),
    ...leaseHeaders(record.lease, now),
    "x-ms-blob-public-access": record.publicAccess,
    "x-ms-has-immutability-policy": "false",
    "x-ms-has-legal-hold": "false",
    "x-ms-immutable-storage-with-versioning-enabled": String(record.hasVersionLevelImmutability ?? false),
    "x-ms-default-encryption-scope": encryptionScope?.name ?? "$account-encryption-key",
    "x-ms-deny-encryption-scope-override": String(encryptionScope?.isEnforced ?? false),
  });
  return { status: 200, headers };
}

export async function handleGetContainerMetadata(
  request: HttpRequest,
  services: BlobServices,
): Promise<HttpReply> {
  const { record } = await readContainer(request, services);
  return { status: 200, headers: metadataHeaders(record) };
}
