import { badQuery, Refusal } from "../../base/refusals.js";
import { listBlobs as list } from "../../services/blob/list-blobs.js";
import { decodeMarker, encodeMarker, printListParams, readListParams, } from "../wire/list-params.js";
import { element, encodedElement, printXml, textElement } from "../wire/xml-print.js";
import { printBlob } from "./listed-blob.js";
import { readContainerRef } from "./read-request.js";
import { XML } from "./replies.js";
import { onContainer, row } from "./rows.js";
import { serviceEndpoint } from "./service-endpoint.js";
const INCLUDE = [
    "snapshots",
    "metadata",
    "uncommittedblobs",
    "copy",
    "deleted",
    "tags",
    "versions",
    "deletedwithversions",
    "immutabilitypolicy",
    "legalhold",
    "permissions",
];
/** GET /{container}?restype=container&comp=list, flat or with a delimiter */
async function listBlobs(request, { blobs }) {
    const ref = readContainerRef(request);
    const params = readListParams(request.query, { include: INCLUDE });
    const { include, delimiter } = params;
    if (delimiter !== undefined && include.has("snapshots")) {
        throw badQuery("include", "snapshots", "Snapshots cannot be listed by hierarchy.");
    }
    checkTagLetter(request, include);
    const scope = `blobs ${ref.account}/${ref.container}`;
    const page = await list(blobs, {
        ref,
        prefix: params.prefix,
        delimiter,
        maxResults: params.maxResults,
        include: {
            snapshots: include.has("snapshots"),
            versions: include.has("versions"),
            deleted: include.has("deleted"),
            uncommitted: include.has("uncommittedblobs"),
            deletedWithVersions: include.has("deletedwithversions") && !include.has("versions"),
        },
        from: params.marker === undefined ? undefined : positionOf(params.marker, scope),
    });
    const endpoint = { ServiceEndpoint: serviceEndpoint(request), ContainerName: ref.container };
    const root = element("EnumerationResults", printPage(page, params, scope), endpoint);
    return { status: 200, headers: XML, body: printXml(root) };
}
function checkTagLetter({ caller }, include) {
    const isSas = caller.kind === "accountSas" || caller.kind === "serviceSas";
    if (include.has("tags") && (caller.kind === "anonymous" || (isSas && !caller.permissions.includes("t")))) {
        throw new Refusal("AuthorizationPermissionMismatch");
    }
}
function printPage({ items, next, now }, params, scope) {
    let entries = "";
    for (const item of items) {
        entries +=
            "folder" in item
                ? `<BlobPrefix>${encodedElement("Name", item.folder)}</BlobPrefix>`
                : printBlob(item, params.include, now);
    }
    const marker = next === undefined ? "" : encodeMarker(scope, partsOf(next));
    return printListParams(params) + element("Blobs", entries) + textElement("NextMarker", marker);
}
function partsOf(position) {
    if ("folder" in position)
        return ["folder", position.folder];
    return position.past === undefined
        ? ["blob", position.blob]
        : ["past", position.blob, String(position.past)];
}
function positionOf(marker, scope) {
    const [kind, name, past] = decodeMarker(scope, marker);
    if (name !== undefined) {
        if (kind === "folder")
            return { folder: name };
        if (kind === "blob")
            return { blob: name };
        if (kind === "past" && past !== undefined && /^\d{1,20}$/.test(past))
            return { blob: name, past: BigInt(past) };
    }
    throw badQuery("marker", marker, "The marker is not valid.");
}
export const LIST_BLOBS_ROW = row({
    name: "ListBlobs",
    method: "GET",
    resource: "container",
    query: { restype: "container", comp: "list" },
    permission: { ...onContainer(["l"], ["l"]), anonymous: "container" },
    handle: listBlobs,
});
