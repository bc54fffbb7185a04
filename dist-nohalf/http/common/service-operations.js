import { LIMITS } from "../../base/limits.js";
import { badQuery } from "../../base/refusals.js";
import { preflightHeaders } from "../wire/cors.js";
import { printHttpDate } from "../wire/dates.js";
import { parseServiceProperties, printServiceProperties } from "../wire/service-properties.js";
import { element, printXml, textElement } from "../wire/xml-print.js";
const XML = { "Content-Type": "application/xml" };
async function getServiceProperties(request, { properties }) {
    const { account, service } = request.target;
    const body = printServiceProperties(service, await properties.get(account, service));
    return { status: 200, headers: XML, body };
}
async function setServiceProperties(request, { properties }) {
    const { account, service } = request.target;
    const body = await request.body.read(LIMITS.servicePropertiesBytesMax);
    await properties.set(account, service, parseServiceProperties(service, body));
    return { status: 202 };
}
/** Every acknowledged write is visible everywhere, so the "secondary" is always in step. */
async function getServiceStats(request) {
    if (!request.target.isSecondary) {
        throw badQuery("comp", "stats", "Statistics are given by the secondary endpoint only.");
    }
    const state = textElement("Status", "live") + textElement("LastSyncTime", printHttpDate(request.receivedAt));
    const body = printXml(element("StorageServiceStats", element("GeoReplication", state)));
    return { status: 200, headers: XML, body };
}
async function preflight(request, { properties }) {
    const { account, service } = request.target;
    const { cors = [] } = await properties.get(account, service);
    const headers = preflightHeaders(cors, {
        origin: request.headers.origin,
        method: request.headers["access-control-request-method"],
        headers: request.headers["access-control-request-headers"],
    });
    return { status: 200, headers };
}
const atRoot = {
    resource: "service",
    returnsEtag: false,
    conditions: [],
    lease: "none",
};
export function commonOperations(service) {
    const stats = {
        ...atRoot,
        name: "GetServiceStats",
        method: "GET",
        query: { restype: "service", comp: "stats" },
        permission: { type: "s", account: ["r"], service: [] },
        body: "none",
        bodyBytesMax: 0,
        ok: [200],
        handle: getServiceStats,
    };
    const rows = [
        {
            ...atRoot,
            name: "GetServiceProperties",
            method: "GET",
            query: { restype: "service", comp: "properties" },
            permission: { type: "s", account: ["r"], service: [] },
            body: "none",
            bodyBytesMax: 0,
            ok: [200],
            handle: getServiceProperties,
        },
        {
            ...atRoot,
            name: "SetServiceProperties",
            method: "PUT",
            query: { restype: "service", comp: "properties" },
            permission: { type: "s", account: ["w"], service: [] },
            body: "xml",
            bodyBytesMax: LIMITS.servicePropertiesBytesMax,
            ok: [202],
            handle: setServiceProperties,
        },
        {
            ...atRoot,
            name: "Preflight",
            method: "OPTIONS",
            permission: { type: "s", account: [], service: [], isOpen: true },
            body: "none",
            bodyBytesMax: 0,
            ok: [200],
            handle: preflight,
        },
    ];
    // The File service has no read-only secondary, so it has no statistics of one.
    return service === "file" ? rows : [...rows, stats];
}
