import { badQuery, Refusal } from "../../base/refusals.js";
import { parseTagQuery } from "../../concurrency/tag-query.js";
import { findBlobsByTags as find } from "../../services/blob/find-blobs-by-tags.js";
import { decodeMarker, encodeMarker, readListParams } from "../wire/list-params.js";
import { element, encodedElement, printXml, textElement } from "../wire/xml-print.js";
import { readContainerRef } from "./read-request.js";
import { XML } from "./replies.js";
import { row } from "./rows.js";
import { serviceEndpoint } from "./service-endpoint.js";
import { printTags } from "./tags-wire.js";
/** GET /?comp=blobs&where=, of the account or of one container */
async function findInAccount(request, services) {
    return findBlobs(request, services, undefined);
}
async function findInContainer(request, services) {
    return findBlobs(request, services, readContainerRef(request).container);
}
async function findBlobs(request, { blobs }, container) {
    const { account } = request.target;
    const where = request.query.get("where") ?? "";
    if (where === "")
        throw badQuery("where", "", "A query is expected.", "MissingRequiredQueryParameter");
    const query = parseTagQuery(where);
    if (query === undefined)
        throw badQuery("where", where.slice(0, 256), "This is not a query over tags.");
    const params = readListParams(request.query, { include: ["versions"] });
    if (params.include.has("versions"))
        throw new Refusal("UnsupportedQueryParameter");
    const scope = `tags ${account}/${container ?? ""} ${where}`;
    const { items, next } = await find(blobs, {
        account,
        container,
        query,
        maxResults: params.maxResults,
        from: params.marker === undefined ? undefined : placeOf(scope, params.marker),
    });
    const entries = items.map(({ container: name, blob, tags }) => `<Blob>${encodedElement("Name", blob)}${textElement("ContainerName", name)}${printTags(tags)}</Blob>`);
    const content = textElement("Where", where) +
        element("Blobs", entries.join("")) +
        textElement("NextMarker", next === undefined ? "" : encodeMarker(scope, partsOf(next)));
    const root = element("EnumerationResults", content, { ServiceEndpoint: serviceEndpoint(request) });
    return { status: 200, headers: XML, body: printXml(root) };
}
function partsOf({ value, container, blob }) {
    return [value, String(container), blob];
}
function placeOf(scope, marker) {
    const [value, container, blob] = decodeMarker(scope, marker);
    const isSound = value !== undefined && blob !== undefined && /^\d{1,19}$/.test(container ?? "");
    if (!isSound)
        throw badQuery("marker", marker, "The marker is not valid.");
    return { value, container: BigInt(container), blob };
}
const common = { method: "GET", ok: [200] };
export const FIND_BLOBS_ROWS = [
    row({
        ...common,
        name: "FindBlobsByTags",
        resource: "service",
        query: { comp: "blobs" },
        permission: { type: "o", account: ["f"], service: [] },
        handle: findInAccount,
    }),
    row({
        ...common,
        name: "FindBlobsByTagsInContainer",
        resource: "container",
        query: { restype: "container", comp: "blobs" },
        permission: { type: "o", account: ["f"], service: ["f"] },
        handle: findInContainer,
    }),
];
