import { badHeader } from "../../base/refusals.js";
import { rename } from "../../services/file/rename.js";
import { readMetadata } from "../wire/metadata.js";
import { readCopySource } from "./copy-source.js";
import { readFlag, readGuid, readPathRef, readWishes } from "./read-request.js";
import { nodeHeaders, stamp } from "./replies.js";
import { onNode, row } from "./rows.js";
/** PUT of the new address with ?comp=rename and the old address in x-ms-file-rename-source. */
async function renameNode(kind, request, services) {
    const { headers } = request;
    const header = "x-ms-file-rename-source";
    const source = await readCopySource(request, services, { header, permission: onNode(["w"]) });
    if (source.kind === "elsewhere")
        throw badHeader(header, "");
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
        headers: {
            ...stamp(node.record.revision),
            ...nodeHeaders(node),
            "x-ms-request-server-encrypted": "true",
        },
    };
}
export const RENAME_ROWS = [
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
