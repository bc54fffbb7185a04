import { Refusal } from "../../base/refusals.ts";
import { commonOperations } from "../common/service-operations.ts";
import { GET_USER_DELEGATION_KEY } from "../common/user-delegation-key.ts";
import type { Query } from "../exchange.ts";
import type { OperationTable, ResourceKind } from "../operation.ts";
import { BLOB_CONTENT_ROWS } from "./blob-content-operations.ts";
import { BLOB_ROWS } from "./blob-operations.ts";
import { CONTAINER_ROWS, SERVICE_ROWS } from "./container-operations.ts";
import type { BlobServices } from "./services.ts";

/** The Blob service, operation by operation. */
export const BLOB_OPERATIONS: OperationTable<BlobServices> = {
  service: "blob",
  operations: [
    ...commonOperations("blob"),
    GET_USER_DELEGATION_KEY,
    ...SERVICE_ROWS,
    ...CONTAINER_ROWS,
    ...BLOB_CONTENT_ROWS,
    ...BLOB_ROWS,
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
