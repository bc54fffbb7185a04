import { Refusal } from "../../base/refusals.js";
import { commonOperations } from "../common/service-operations.js";
import { ACCOUNT_ROWS } from "./account-info.js";
import { APPEND_BLOB_ROWS } from "./append-blob.js";
import { BATCH_ROWS } from "./batch.js";
import { BLOCK_ROWS } from "./blocks.js";
import { CONTAINER_ROWS } from "./container.js";
import { ACL_ROWS } from "./container-acl.js";
import { COPY_BLOB_ROWS } from "./copy-blob.js";
import { COPY_INCREMENTAL_ROW } from "./copy-incremental.js";
import { DELETE_BLOB_ROWS } from "./delete-blob.js";
import { FIND_BLOBS_ROWS } from "./find-blobs-by-tags.js";
import { FROM_URL_ROWS } from "./from-url.js";
import { GET_BLOB_ROWS } from "./get-blob.js";
import { GET_PAGE_RANGES_ROW } from "./get-page-ranges.js";
import { IMMUTABILITY_ROWS } from "./immutability.js";
import { BLOB_LEASE_ROWS, CONTAINER_LEASE_ROWS } from "./lease.js";
import { LIST_BLOBS_ROW } from "./list-blobs.js";
import { LIST_CONTAINERS_ROW } from "./list-containers.js";
import { PAGE_BLOB_ROWS } from "./page-blob.js";
import { PUT_BLOB_ROWS } from "./put-blob.js";
import { QUERY_BLOB_ROW } from "./query-blob.js";
import { SET_BLOB_ROWS } from "./set-blob.js";
import { TAGS_AND_TIER_ROWS } from "./tags-and-tier.js";
import { WEBSITE_ROWS } from "./website.js";
/** The Blob service, operation by operation. */
export const BLOB_OPERATIONS = {
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
function resourceOf(path, query) {
    if (path === "")
        return "service";
    const slash = path.indexOf("/");
    if (slash > 0 && slash < path.length - 1)
        return "blob";
    if (query.has("restype"))
        return "container";
    if (slash >= 0)
        throw new Refusal("InvalidUri");
    return "blob";
}
