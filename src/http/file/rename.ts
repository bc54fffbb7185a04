import { badHeader } from "../../base/refusals.ts";
import { rename } from "../../services/file/rename.ts";
import { readNamedSource } from "../common/copy-source.ts";
import { readBoolean, readGuid } from "../common/read-headers.ts";
import { onObject } from "../common/rows.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { fileSource } from "./copy-source.ts";
import { readChanges, readPathRef } from "./read-request.ts";
import { changedHeaders } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** PUT of the new address with ?comp=rename and the old address in x-ms-file-rename-source. */
export function handleRenameFile(request: HttpRequest, services: FileServices): Promise<HttpReply> {
  return handleRename("file", request, services);
}

export function handleRenameDirectory(request: HttpRequest, services: FileServices): Promise<HttpReply> {
  return handleRename("directory", request, services);
}

async function handleRename(
  kind: "file" | "directory",
  request: HttpRequest,
  services: FileServices,
): Promise<HttpReply> {
  const { headers } = request;
  const header = "x-ms-file-rename-source";
  const source = await readNamedSource(
    fileSource(request, services, { header, permission: onObject("r", "w") }),
  );
  if (source === undefined) throw badHeader(header, "");
  const inode = await rename(services.files, {
    kind,
    source: source.ref,
    destination: readPathRef(request),
    replacesExisting: readBoolean(headers, "x-ms-file-rename-replace-if-exists") ?? false,
    ignoresReadOnly: readBoolean(headers, "x-ms-file-rename-ignore-readonly") ?? false,
    sourceLeaseId: readGuid(headers, "x-ms-source-lease-id"),
    destinationLeaseId: readGuid(headers, "x-ms-destination-lease-id"),
    requested: readChanges(headers),
    metadata: readMetadata(request.rawHeaders),
    contentType: kind === "file" ? headers["x-ms-content-type"] : undefined,
  });
  return { status: 200, headers: changedHeaders(inode, request) };
}
