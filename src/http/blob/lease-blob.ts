import { leaseBlob } from "../../services/blob/lease-blob.ts";
import { type ActionName, leaseReply, readLeaseAction } from "../common/lease.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { IF_ALL, readWriteConditions } from "./read-conditions.ts";
import { readBlobRef, refuseVersionOrSnapshot } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

/** PUT ?comp=lease */
export async function handleLeaseBlob(
  action: ActionName,
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const result = await leaseBlob(blobs, {
    ref: readBlobRef(request),
    conditions: readWriteConditions(request.headers, IF_ALL),
    lease: readLeaseAction(action, request.headers, blobs.random),
  });
  return leaseReply(action, result);
}
