import { getPermission } from "../../services/file/permissions.ts";
import { requireHeader } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { withoutNewer } from "../wire/since.ts";
import { printPermission, readFormat, readShareRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/** GET /{share}?restype=share&comp=filepermission */
export async function handleGetPermission(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const key = requireHeader(request.headers, "x-ms-file-permission-key");
  const format = readFormat(request.headers["x-ms-file-permission-format"]);
  const sddl = await getPermission(files, readShareRef(request), key);
  const permission = printPermission(sddl, format);
  // Like Azure, without a Content-Type: clients take it for JSON.
  return {
    status: 200,
    headers: {},
    body: JSON.stringify(withoutNewer(request.version, { permission, format })),
  };
}
