import { Refusal } from "../../base/refusals.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { createPermission } from "../../services/file/permissions.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readShareRef, sddlOf, snapshotOf } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/** PUT /{share}?restype=share&comp=filepermission */
export async function handleCreatePermission(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const ref = { ...readShareRef(request), ...snapshotOf(request) };
  const body = await request.body.read(FILE_LIMITS.permissionBytesMax);
  const key = await createPermission(files, ref, readPermissionBody(body));
  return { status: 201, headers: { "x-ms-file-permission-key": key } };
}

function readPermissionBody(body: Buffer): string {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refusal("InvalidInput", { text: "The body is not JSON." });
    throw error;
  }
  const { permission, format } = (value ?? {}) as { permission?: unknown; format?: unknown };
  if (typeof permission !== "string") throw new Refusal("FileInvalidPermission");
  return sddlOf(permission, typeof format === "string" ? format : undefined);
}
