import { commonOperations } from "../common/service-operations.js";
import { COPY_ROWS } from "./copy-file.js";
import { DIRECTORY_ROWS } from "./directory.js";
import { FILE_ROWS } from "./file.js";
import { HANDLE_ROWS } from "./handles.js";
import { LEASE_ROWS } from "./lease.js";
import { LINK_ROWS } from "./links.js";
import { LIST_DIRECTORY_ROW } from "./list-directory.js";
import { LIST_SHARES_ROW } from "./list-shares.js";
import { RANGE_ROWS } from "./range.js";
import { RENAME_ROWS } from "./rename.js";
import { mendRenameTarget } from "./rename-target.js";
import { SHARE_ROWS } from "./share.js";
import { SHARE_ACL_ROWS } from "./share-acl.js";
/** The File service, operation by operation. */
export const FILE_OPERATIONS = {
    service: "file",
    operations: [
        ...commonOperations("file"),
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
    mendTarget: mendRenameTarget,
};
/** Handles are listed and closed of whatever a path names, so those requests do not say which kind it is. */
const OF_ANY_NODE = new Set(["listhandles", "forceclosehandles"]);
function resourceOf(path, query) {
    if (path === "")
        return "service";
    const restype = query.get("restype")?.toLowerCase();
    if (restype === "share" || restype === "directory")
        return restype;
    if (OF_ANY_NODE.has(query.get("comp")?.toLowerCase() ?? ""))
        return "path";
    const slash = path.indexOf("/");
    return slash < 0 || slash === path.length - 1 ? "share" : "file";
}
