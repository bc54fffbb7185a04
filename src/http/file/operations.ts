import { Refusal } from "../../base/refusals.ts";
import { commonOperations } from "../common/service-operations.ts";
import { GET_USER_DELEGATION_KEY } from "../common/user-delegation-key.ts";
import type { Headers, Query } from "../exchange.ts";
import type { Operation, OperationTable, ResourceKind } from "../operation.ts";
import { DIRECTORY_ROWS } from "./directory-operations.ts";
import { FILE_ROWS } from "./file-operations.ts";
import { normalizeTarget } from "./normalize-target.ts";
import type { FileServices } from "./services.ts";
import { SHARE_ROWS } from "./share-operations.ts";

/** The File service, operation by operation. */
export const FILE_OPERATIONS: OperationTable<FileServices> = {
  service: "file",
  operations: [
    ...commonOperations("file"),
    GET_USER_DELEGATION_KEY,
    ...[...SHARE_ROWS, ...DIRECTORY_ROWS, ...FILE_ROWS].map((operation) => ({
      ...operation,
      handle: unconditional(operation.handle),
    })),
  ],
  resourceOf,
  unknownOperation: "InvalidUri",
  normalizeTarget,
};

const CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];

type Handle = Operation<FileServices>["handle"];

/** The File service has no conditional headers and refuses them. Not async: that would cost each request a promise. */
function unconditional(handle: Handle): Handle {
  return (request, services) => {
    refuseConditions(request.headers);
    // The timeout of a request bounds how long the call waits for the caches of SMB clients.
    const { timeout } = request;
    if (timeout === undefined) return handle(request, services);
    return handle(request, { ...services, files: services.files.within(timeout) });
  };
}

function refuseConditions(headers: Headers): void {
  for (const name of CONDITIONS) {
    if (headers[name] !== undefined) throw new Refusal("ConditionHeadersNotSupported");
  }
}

/** The requests to list and close handles do not say which kind of inode the path names. */
const OF_ANY_INODE = new Set(["listhandles", "forceclosehandles"]);

function resourceOf(path: string, query: Query): ResourceKind {
  if (path === "") return "service";
  const restype = query.get("restype")?.toLowerCase();
  if (restype === "share" || restype === "directory") return restype;
  if (OF_ANY_INODE.has(query.get("comp")?.toLowerCase() ?? "")) return "path";
  const slash = path.indexOf("/");
  return slash < 0 || slash === path.length - 1 ? "share" : "file";
}
