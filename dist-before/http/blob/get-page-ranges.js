import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { badHeader, badQuery } from "../../base/refusals.js";
import { revisionOfTimestamp } from "../../base/revision.js";
import { getPageRanges as get } from "../../services/blob/get-page-ranges.js";
import { decodeMarker, encodeMarker, readCount } from "../wire/list-params.js";
import { parseRange } from "../wire/range.js";
import { element, printXml, textElement } from "../wire/xml-print.js";
import { checkTagPermission, readMoment, readSelector } from "./blob-headers.js";
import { IF_ALL, readBlobRef, readLeaseId, readSingleConditions } from "./read-request.js";
import { stamp, XML } from "./replies.js";
import { onBlob, row } from "./rows.js";
/** Clients that know pages of this listing; to others it is given whole. */
const PAGED_SINCE = "2020-10-02";
/** GET ?comp=pagelist: what is written, or with prevsnapshot what has changed since */
async function getPageRanges(request, { blobs }) {
    const { headers, query } = request;
    checkTagPermission(request);
    const ref = readBlobRef(request);
    const scope = `pages ${ref.account}/${ref.container}/${ref.blob}`;
    const { pageRangesMax: max } = BLOB_LIMITS;
    const asked = readCount(query, "maxresults", { min: 1, max });
    const marker = query.get("marker");
    const isPaged = asked !== undefined || request.version === "" || request.version >= PAGED_SINCE;
    const { record, ranges, next } = await get(blobs, {
        ref,
        selector: readSelector(query),
        conditions: readSingleConditions(headers, IF_ALL),
        leaseId: readLeaseId(headers),
        within: readWithin(headers),
        from: marker === undefined || marker === "" ? 0 : positionOf(scope, marker),
        maxResults: isPaged ? Math.min(asked ?? max, max) : undefined,
        previous: readPrevious(request),
    });
    const nextMarker = next === undefined ? "" : encodeMarker(scope, [String(next)]);
    const content = ranges.map(printRange).join("") + (isPaged ? textElement("NextMarker", nextMarker) : "");
    return {
        status: 200,
        headers: { ...XML, ...stamp(record.revision), "x-ms-blob-content-length": String(record.length) },
        body: printXml(element("PageList", content)),
    };
}
function printRange({ start, length, isCleared }) {
    const name = isCleared ? "ClearRange" : "PageRange";
    return `<${name}><Start>${start}</Start><End>${start + length - 1}</End></${name}>`;
}
function positionOf(scope, marker) {
    const [position] = decodeMarker(scope, marker);
    if (position === undefined || !/^\d{1,15}$/.test(position)) {
        throw badQuery("marker", marker, "The marker is not valid.");
    }
    return Number(position);
}
/** Rounded out to whole pages. */
function readWithin(headers) {
    const range = parseRange(headers);
    if (range === undefined)
        return undefined;
    const { pageBytes, pageBlobBytesMax } = BLOB_LIMITS;
    const start = Math.floor(range.from / pageBytes) * pageBytes;
    const last = Math.min(range.to ?? pageBlobBytesMax, pageBlobBytesMax);
    const end = Math.ceil((last + 1) / pageBytes) * pageBytes;
    return { start, length: Math.max(0, end - start) };
}
/** By its id, or as a managed disk has it: by the address of the snapshot. */
function readPrevious({ headers, query }) {
    const named = readMoment(query, "prevsnapshot");
    const url = headers["x-ms-previous-snapshot-url"];
    if (url === undefined)
        return named;
    const found = named === undefined ? /[?&]snapshot=([^&#]+)/i.exec(url)?.[1] : undefined;
    const revision = found === undefined ? undefined : revisionOfTimestamp(found.replace(/%3a/gi, ":"));
    if (revision === undefined)
        throw badHeader("x-ms-previous-snapshot-url", url);
    return revision;
}
export const GET_PAGE_RANGES_ROW = row({
    name: "GetPageRanges",
    method: "GET",
    resource: "blob",
    query: { comp: "pagelist" },
    permission: { ...onBlob(["r"]), anonymous: "blob" },
    returnsEtag: true,
    conditions: IF_ALL,
    lease: "checked",
    handle: getPageRanges,
});
