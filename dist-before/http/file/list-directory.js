import { instantOf, timestampOf } from "../../base/revision.js";
import { listDirectory as list } from "../../services/file/list-directory.js";
import { printHttpDate } from "../wire/dates.js";
import { decodeMarker, encodeMarker, printListParams, readListParams } from "../wire/list-params.js";
import { element, encodedElement, printXml, textElement } from "../wire/xml-print.js";
import { readFlag, readPathRef } from "./read-request.js";
import { printAttributes, quotedEtag, serviceEndpoint, XML } from "./replies.js";
import { row } from "./rows.js";
/** GET /{share}/{directory}?restype=directory&comp=list */
async function listDirectory(request, { files }) {
    const ref = readPathRef(request);
    const params = readListParams(request.query, {
        include: ["timestamps", "etag", "attributes", "permissionkey"],
    });
    const isExtended = readFlag(request.headers, "x-ms-file-extended-info") === true;
    const path = ref.path.join("/");
    const scope = `directory ${ref.account} ${ref.share} ${path}`;
    const page = await list(files, {
        ref,
        prefix: params.prefix,
        maxResults: params.maxResults,
        from: params.marker === undefined ? undefined : decodeMarker(scope, params.marker)[0],
    });
    const wants = {
        ids: isExtended || params.include.size > 0,
        timestamps: params.include.has("timestamps"),
        etag: params.include.has("etag"),
        attributes: params.include.has("attributes"),
        permissionKey: params.include.has("permissionkey"),
    };
    let entries = "";
    for (const listed of page.entries)
        entries += printEntry(listed, wants);
    const next = page.next === undefined ? "" : encodeMarker(scope, [page.next]);
    const content = printListParams(params) +
        (wants.ids ? textElement("DirectoryId", String(page.directory.id)) : "") +
        element("Entries", entries) +
        textElement("NextMarker", next);
    const root = element("EnumerationResults", content, {
        ServiceEndpoint: serviceEndpoint(request),
        ShareName: ref.share,
        ShareSnapshot: ref.snapshot === undefined ? undefined : timestampOf(ref.snapshot),
        DirectoryPath: path,
    });
    return { status: 200, headers: XML, body: printXml(root) };
}
function printEntry({ entry, record }, wants) {
    const isFile = entry.kind === "file";
    let properties = isFile ? textElement("Content-Length", record.size) : "";
    if (wants.timestamps) {
        properties +=
            textElement("CreationTime", timestampOf(record.createdAt)) +
                textElement("LastAccessTime", timestampOf(record.writtenAt)) +
                textElement("LastWriteTime", timestampOf(record.writtenAt)) +
                textElement("ChangeTime", timestampOf(record.changedAt)) +
                textElement("Last-Modified", printHttpDate(instantOf(record.revision)));
    }
    if (wants.etag)
        properties += textElement("Etag", quotedEtag(record.revision));
    let content = encodedElement("Name", entry.name);
    if (wants.ids)
        content += textElement("FileId", String(entry.node));
    content += element("Properties", properties);
    if (wants.attributes)
        content += textElement("Attributes", printAttributes(record.attributes));
    if (wants.permissionKey && record.permission !== undefined) {
        content += textElement("PermissionKey", record.permission);
    }
    return element(isFile ? "File" : "Directory", content);
}
export const LIST_DIRECTORY_ROW = row({
    name: "ListDirectoriesAndFiles",
    method: "GET",
    resource: "directory",
    query: { restype: "directory", comp: "list" },
    permission: { type: "c", account: ["l"], service: ["l"] },
    handle: listDirectory,
});
