import { Refusal } from "../../base/refusals.ts";
import { commonOperations } from "../common/service-operations.ts";
import type { Query } from "../exchange.ts";
import type { OperationTable, ResourceKind } from "../operation.ts";
import { ACCOUNT_ROWS } from "./account-info.ts";
import { BLOCK_ROWS } from "./blocks.ts";
import { CONTAINER_ROWS } from "./container.ts";
import { ACL_ROWS } from "./container-acl.ts";
import { DELETE_BLOB_ROWS } from "./delete-blob.ts";
import { GET_BLOB_ROWS } from "./get-blob.ts";
import { BLOB_LEASE_ROWS, CONTAINER_LEASE_ROWS } from "./lease.ts";
import { LIST_BLOBS_ROW } from "./list-blobs.ts";
import { LIST_CONTAINERS_ROW } from "./list-containers.ts";
import { PUT_BLOB_ROWS } from "./put-blob.ts";
import type { BlobServices } from "./rows.ts";
import { SET_BLOB_ROWS } from "./set-blob.ts";
import { TAGS_AND_TIER_ROWS } from "./tags-and-tier.ts";

export type { BlobServices } from "./rows.ts";

/** The Blob service, operation by operation. */
export const BLOB_OPERATIONS: OperationTable<BlobServices> = {
  service: "blob",
  operations: [
    ...commonOperations("blob"),
    ...ACCOUNT_ROWS,
    LIST_CONTAINERS_ROW,
    ...CONTAINER_ROWS,
    ...ACL_ROWS,
    ...CONTAINER_LEASE_ROWS,
    LIST_BLOBS_ROW,
    ...PUT_BLOB_ROWS,
    ...GET_BLOB_ROWS,
    ...DELETE_BLOB_ROWS,
    ...SET_BLOB_ROWS,
    ...TAGS_AND_TIER_ROWS,
    ...BLOB_LEASE_ROWS,
    ...BLOCK_ROWS,
  ],
  resourceOf,
  unknownOperation: "InvalidUri",
};

/**
 * One segment is a container when `restype` says so (its account information included), otherwise a blob of the
 * root container; a container's address may end in a slash.
 */
function resourceOf(path: string, query: Query): ResourceKind {
  if (path === "") return "service";
  const slash = path.indexOf("/");
  if (slash > 0 && slash < path.length - 1) return "blob";
  if (query.has("restype")) return "container";
  if (slash >= 0) throw new Refusal("InvalidUri");
  return "blob";
}
