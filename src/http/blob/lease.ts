import { leaseBlob as leaseBlobOf } from "../../services/blob/lease-blob.ts";
import { leaseContainer as leaseContainerOf } from "../../services/blob/lease-container.ts";
import { type ActionName, leaseReply, leaseRows, readLeaseAction } from "../common/lease.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { refuseVersionOrSnapshot } from "./blob-headers.ts";
import { IF_ALL, IF_DATES, readBlobRef, readContainerRef, readWriteConditions } from "./read-request.ts";
import { type BlobRow, type BlobServices, onBlob, onContainer } from "./rows.ts";

/** Lease Container and Lease Blob. */
async function leaseContainer(
  action: ActionName,
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  const result = await leaseContainerOf(blobs, {
    ref: readContainerRef(request),
    conditions: readWriteConditions(request.headers, IF_DATES),
    lease: readLeaseAction(action, request.headers, blobs.parts.random),
  });
  return leaseReply(action, result);
}

async function leaseBlob(
  action: ActionName,
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  // Of snapshots and versions there is nothing to lease.
  refuseVersionOrSnapshot(request.query);
  const result = await leaseBlobOf(blobs, {
    ref: readBlobRef(request),
    conditions: readWriteConditions(request.headers, IF_ALL),
    lease: readLeaseAction(action, request.headers, blobs.parts.random),
  });
  return leaseReply(action, result);
}

export const BLOB_LEASE_ROWS: readonly BlobRow[] = leaseRows<BlobServices>("Blob", {
  resource: "blob",
  query: { comp: "lease" },
  permission: onBlob(["w"]),
  conditions: IF_ALL,
  handle: leaseBlob,
});

export const CONTAINER_LEASE_ROWS: readonly BlobRow[] = leaseRows<BlobServices>("Container", {
  resource: "container",
  query: { restype: "container", comp: "lease" },
  permission: onContainer(["w"]),
  conditions: IF_DATES,
  handle: leaseContainer,
});
