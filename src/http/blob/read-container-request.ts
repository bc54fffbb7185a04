import { badHeader } from "../../base/refusals.ts";
import type { GuardedContainer } from "../../services/blob/container-properties.ts";
import type { ContainerRecord } from "../../services/blob/records.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
import type { ConditionHeader } from "../operation.ts";
import { readContainerRef, readLeaseId, readWriteConditions } from "./read-request.ts";

/** Containers: create, read, metadata, delete, restore. */
export function readPublicAccess(headers: Headers): ContainerRecord["publicAccess"] {
  const text = headers["x-ms-blob-public-access"];
  if (text === undefined || text === "") return undefined;
  const access = text.toLowerCase();
  if (access !== "blob" && access !== "container") throw badHeader("x-ms-blob-public-access", text);
  return access;
}

/** What a change of a container is guarded by. */
export function readContainerGuards(
  request: HttpRequest,
  taken: readonly ConditionHeader[],
): GuardedContainer {
  return {
    ref: readContainerRef(request),
    conditions: readWriteConditions(request.headers, taken),
    leaseId: readLeaseId(request.headers),
  };
}
