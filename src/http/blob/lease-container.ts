import { leaseContainer } from "../../services/blob/lease-container.ts";
import { type ActionName, leaseReply, readLeaseAction } from "../common/lease.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { IF_DATES, readWriteConditions } from "./read-conditions.ts";
import { readContainerRef } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

/** PUT /{container}?restype=container&comp=lease */
export async function handleLeaseContainer(
  action: ActionName,
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  const result = await leaseContainer(blobs, {
    ref: readContainerRef(request),
    conditions: readWriteConditions(request.headers, IF_DATES),
    lease: readLeaseAction(action, request.headers, blobs.random),
  });
  return leaseReply(action, result);
}
