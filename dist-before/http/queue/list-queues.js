import { Refusal } from "../../base/refusals.js";
import { printListParams, readListParams } from "../wire/list-params.js";
import { printMetadataXml } from "../wire/metadata.js";
import { element, printXml, textElement } from "../wire/xml-print.js";
import { XML } from "./message-xml.js";
/** GET /?comp=list */
export async function listQueues(request, { queues }) {
    const { account } = request.target;
    const params = readListParams(request.query, { include: ["metadata"] });
    const { prefix, maxResults, marker } = params;
    const from = marker === undefined ? undefined : parseMarker(account, marker);
    const page = await queues.listQueues({ account, prefix, from, maxResults });
    const hasMetadata = params.include.has("metadata");
    let entries = "";
    for (const { name, metadata } of page.queues) {
        entries += element("Queue", textElement("Name", name) + (hasMetadata ? printMetadataXml(metadata) : ""));
    }
    const next = page.next === undefined ? "" : printMarker(account, page.next);
    const content = printListParams(params) + element("Queues", entries) + textElement("NextMarker", next);
    const root = element("EnumerationResults", content, { ServiceEndpoint: endpointOf(request) });
    return { status: 200, headers: XML, body: printXml(root) };
}
/** The name the next page begins with, as the protocol writes it: `/account/queue`. */
function printMarker(account, name) {
    return `/${account}/${name}`;
}
const MARKER_NAME = /^[a-z0-9-]{1,63}$/;
function parseMarker(account, marker) {
    const start = printMarker(account, "");
    const name = marker.slice(start.length);
    if (!marker.startsWith(start) || !MARKER_NAME.test(name))
        throw new Refusal("InvalidMarker");
    return name;
}
function endpointOf({ headers, isSecure, target }) {
    const account = target.isPathStyle ? `${target.account}/` : "";
    return `${isSecure ? "https" : "http"}://${headers.host ?? ""}/${account}`;
}
