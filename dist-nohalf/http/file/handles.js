import { FILE_LIMITS } from "../../base/limits-file.js";
import { badHeader, badQuery } from "../../base/refusals.js";
import { DELETE, READ, WRITE } from "../../concurrency/share-mode.js";
import { forceCloseHandles as close, listHandles as list, } from "../../services/file/list-handles.js";
import { printHttpDate } from "../wire/dates.js";
import { decodeMarker, encodeMarker, readListParams } from "../wire/list-params.js";
import { element, encodedElement, optionalElement, printXml, textElement } from "../wire/xml-print.js";
import { readFlag, readPathRef, requireHeader } from "./read-request.js";
import { XML } from "./replies.js";
import { onNode, row } from "./rows.js";
/** What SMB clients have open, and ending it. */
const RIGHTS = [
    ["Read", READ],
    ["Write", WRITE],
    ["Delete", DELETE],
];
function scopeOf(request) {
    return `handles ${request.target.account} ${request.target.path}`;
}
function positionOf(request) {
    const marker = request.query.get("marker");
    if (marker === undefined || marker === "")
        return undefined;
    const [node, handle] = decodeMarker(scopeOf(request), marker);
    if (node === undefined || handle === undefined || !/^\d{1,20}$/.test(node) || !/^\d{1,20}$/.test(handle)) {
        throw badQuery("marker", marker, "The marker is not valid.");
    }
    return { node: BigInt(node), handle: BigInt(handle) };
}
function markerOf(request, next) {
    return next === undefined ? "" : encodeMarker(scopeOf(request), [String(next.node), String(next.handle)]);
}
async function listHandles(request, { files }) {
    const params = readListParams(request.query, { include: [], maxResultsMax: FILE_LIMITS.listHandlesMax });
    const page = await list(files, {
        ref: readPathRef(request),
        isRecursive: readFlag(request.headers, "x-ms-recursive") ?? false,
        maxResults: params.maxResults,
        from: positionOf(request),
    });
    let entries = "";
    for (const handle of page.handles)
        entries += printHandle(handle);
    const content = optionalElement("Marker", params.given.marker) +
        optionalElement("MaxResults", params.given.maxResults) +
        element("Entries", entries) +
        textElement("NextMarker", markerOf(request, page.next));
    return { status: 200, headers: XML, body: printXml(element("EnumerationResults", content)) };
}
function printHandle({ node, handle, record, path, parent }) {
    const rights = RIGHTS.filter(([, bit]) => (record.access & bit) !== 0);
    const list = rights.map(([name]) => textElement("AccessRight", name)).join("");
    return element("Handle", textElement("HandleId", String(handle)) +
        encodedElement("Path", path.join("/")) +
        textElement("FileId", String(node)) +
        textElement("ParentId", String(parent)) +
        textElement("SessionId", String(record.session)) +
        textElement("ClientIp", record.clientAddress) +
        textElement("ClientName", record.clientName) +
        textElement("OpenTime", printHttpDate(record.openedAt)) +
        optionalElement("LastReconnectTime", record.reconnectedAt === undefined ? undefined : printHttpDate(record.reconnectedAt)) +
        (list === "" ? "" : element("AccessRightList", list)));
}
async function forceCloseHandles(request, { files }) {
    const given = requireHeader(request.headers, "x-ms-handle-id");
    if (given !== "*" && !/^\d{1,20}$/.test(given))
        throw badHeader("x-ms-handle-id", given);
    const { closed, failed, next } = await close(files, {
        ref: readPathRef(request),
        isRecursive: readFlag(request.headers, "x-ms-recursive") ?? false,
        handle: given === "*" ? "*" : BigInt(given),
        from: positionOf(request),
    });
    return {
        status: 200,
        headers: {
            "x-ms-marker": next === undefined ? undefined : markerOf(request, next),
            "x-ms-number-of-handles-closed": String(closed),
            "x-ms-number-of-handles-failed": String(failed),
        },
    };
}
const resource = "path";
export const HANDLE_ROWS = [
    row({
        name: "ListHandles",
        method: "GET",
        resource,
        query: { comp: "listhandles" },
        permission: onNode(["r", "l"]),
        handle: listHandles,
    }),
    row({
        name: "ForceCloseHandles",
        method: "PUT",
        resource,
        query: { comp: "forceclosehandles" },
        permission: onNode(["w"]),
        handle: forceCloseHandles,
    }),
];
