import { badHeader } from "../../base/refusals.ts";
import { rename } from "../../services/file/rename.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readOwnSource } from "./copy-source.ts";
import { readFlag, readGuid, readPathRef, readWishes } from "./read-request.ts";
import { changedHeaders } from "./replies.ts";
import { type FileRow, type FileServices, onNode, row } from "./rows.ts";

/** PUT of the new address with ?comp=rename and the old address in x-ms-file-rename-source. */
async function renameNode(
  kind: "file" | "directory",
  request: HttpRequest,
  services: FileServices,
): Promise<HttpReply> {
  const { headers } = request;
  const header = "x-ms-file-rename-source";
  const source = await readOwnSource(request, services, { header, permission: onNode(["w"]) });
  if (source === undefined) throw badHeader(header, "");
  const node = await rename(services.files, {
    kind,
    source: source.ref,
    destination: readPathRef(request),
    replacesExisting: readFlag(headers, "x-ms-file-rename-replace-if-exists") ?? false,
    ignoresReadOnly: readFlag(headers, "x-ms-file-rename-ignore-readonly") ?? false,
    sourceLeaseId: readGuid(headers, "x-ms-source-lease-id"),
    destinationLeaseId: readGuid(headers, "x-ms-destination-lease-id"),
    wishes: readWishes(headers),
    metadata: readMetadata(request.rawHeaders),
    contentType: kind === "file" ? headers["x-ms-content-type"] : undefined,
  });
  return {
    status: 200,
    headers: changedHeaders(node),
  };
}

export const RENAME_ROWS: readonly FileRow[] = [
  row({
    name: "RenameFile",
    method: "PUT",
    resource: "file",
    query: { comp: "rename" },
    permission: onNode(["w"]),
    returnsEtag: true,
    lease: "checked",
    handle: (request, services) => renameNode("file", request, services),
  }),
  row({
    name: "RenameDirectory",
    method: "PUT",
    resource: "directory",
    query: { restype: "directory", comp: "rename" },
    permission: onNode(["w"]),
    returnsEtag: true,
    lease: "checked",
    handle: (request, services) => renameNode("directory", request, services),
  }),
];
