import { commonOperations } from "../common/service-operations.ts";
import { GET_USER_DELEGATION_KEY } from "../common/user-delegation-key.ts";
import type { Query } from "../exchange.ts";
import type { OperationTable, ResourceKind } from "../operation.ts";
import { COPY_ROWS } from "./copy-file.ts";
import { DIRECTORY_ROWS } from "./directory.ts";
import { FILE_ROWS } from "./file.ts";
import { HANDLE_ROWS } from "./handles.ts";
import { LEASE_ROWS } from "./lease.ts";
import { LINK_ROWS } from "./links.ts";
import { LIST_DIRECTORY_ROW } from "./list-directory.ts";
import { LIST_SHARES_ROW } from "./list-shares.ts";
import { normalizeTarget } from "./mend-target.ts";
import { RANGE_ROWS } from "./range.ts";
import { RENAME_ROWS } from "./rename.ts";
import type { FileServices } from "./rows.ts";
import { SHARE_ROWS } from "./share.ts";
import { SHARE_ACL_ROWS } from "./share-acl.ts";

/** The File service, operation by operation. */
export const FILE_OPERATIONS: OperationTable<FileServices> = {
  service: "file",
  operations: [
    ...commonOperations("file"),
    GET_USER_DELEGATION_KEY,
    LIST_SHARES_ROW,
    ...SHARE_ROWS,
    ...SHARE_ACL_ROWS,
    ...DIRECTORY_ROWS,
    LIST_DIRECTORY_ROW,
    ...FILE_ROWS,
    ...RANGE_ROWS,
    ...COPY_ROWS,
    ...RENAME_ROWS,
    ...LEASE_ROWS,
    ...HANDLE_ROWS,
    ...LINK_ROWS,
  ],
  resourceOf,
  unknownOperation: "InvalidUri",
  normalizeTarget,
};

/** Handles are listed and closed of whatever a path names, so those requests do not say which kind it is. */
const OF_ANY_INODE = new Set(["listhandles", "forceclosehandles"]);

function resourceOf(path: string, query: Query): ResourceKind {
  if (path === "") return "service";
  const restype = query.get("restype")?.toLowerCase();
  if (restype === "share" || restype === "directory") return restype;
  if (OF_ANY_INODE.has(query.get("comp")?.toLowerCase() ?? "")) return "path";
  const slash = path.indexOf("/");
  return slash < 0 || slash === path.length - 1 ? "share" : "file";
}
