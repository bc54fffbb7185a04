import { Refusal } from "../../base/refusals.ts";
import { commonOperations } from "../common/service-operations.ts";
import type { Query } from "../exchange.ts";
import type { OperationTable, ResourceKind } from "../operation.ts";
import { ACCOUNT_ROWS } from "./account-info.ts";
import { APPEND_BLOB_ROWS } from "./append-blob.ts";
import { BATCH_ROWS } from "./batch.ts";
import { BLOCK_ROWS } from "./blocks.ts";
import { CONTAINER_ROWS } from "./container.ts";
import { ACL_ROWS } from "./container-acl.ts";
import { COPY_BLOB_ROWS } from "./copy-blob.ts";
import { COPY_INCREMENTAL_ROW } from "./copy-incremental.ts";
import { DELETE_BLOB_ROWS } from "./delete-blob.ts";
import { FIND_BLOBS_ROWS } from "./find-blobs-by-tags.ts";
import { FROM_URL_ROWS } from "./from-url.ts";
import { GET_BLOB_ROWS } from "./get-blob.ts";
import { GET_PAGE_RANGES_ROW } from "./get-page-ranges.ts";
import { IMMUTABILITY_ROWS } from "./immutability.ts";
import { BLOB_LEASE_ROWS, CONTAINER_LEASE_ROWS } from "./lease.ts";
import { LIST_BLOBS_ROW } from "./list-blobs.ts";
import { LIST_CONTAINERS_ROW } from "./list-containers.ts";
import { PAGE_BLOB_ROWS } from "./page-blob.ts";
import { PUT_BLOB_ROWS } from "./put-blob.ts";
import { QUERY_BLOB_ROW } from "./query-blob.ts";
import type { BlobServices } from "./rows.ts";
import { SET_BLOB_ROWS } from "./set-blob.ts";
import { TAGS_AND_TIER_ROWS } from "./tags-and-tier.ts";
import { WEBSITE_ROWS } from "./website.ts";

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
    ...APPEND_BLOB_ROWS,
    ...PAGE_BLOB_ROWS,
    GET_PAGE_RANGES_ROW,
    ...COPY_BLOB_ROWS,
    ...FROM_URL_ROWS,
    COPY_INCREMENTAL_ROW,
    ...BATCH_ROWS,
    ...IMMUTABILITY_ROWS,
    QUERY_BLOB_ROW,
    ...WEBSITE_ROWS,
    ...FIND_BLOBS_ROWS,
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
