import { badQuery, Refusal } from "../base/refusals.js";
/**
 * Finds the row of an operation table that a request means. `restype` and `comp` must be those of the row (or
 * absent, where the row names none); among rows that share them, the one that asks for more wins.
 */
export class Router {
    #table;
    /** A browser asks OPTIONS of any address, also of one that names nothing. */
    #preflight;
    #rows = new Map();
    #methods = new Map();
    constructor(table) {
        this.#table = table;
        this.#preflight = table.operations.find(({ method }) => method === "OPTIONS");
        for (const operation of table.operations) {
            const { method, resource, query } = operation;
            const place = placeOf(method, resource, query?.restype, query?.comp);
            const rows = this.#rows.get(place) ?? [];
            rows.push(operation);
            rows.sort((a, b) => weightOf(b) - weightOf(a));
            this.#rows.set(place, rows);
            const methods = this.#methods.get(resource) ?? new Set();
            this.#methods.set(resource, methods.add(method));
        }
    }
    /** On a website nothing but the path says what is meant. */
    findOnWebsite(method) {
        if (method === "OPTIONS" && this.#preflight !== undefined)
            return this.#preflight;
        const [row] = this.#rows.get(placeOf(method, "website", undefined, undefined)) ?? [];
        if (row === undefined)
            throw new Refusal("UnsupportedHttpVerb");
        return row;
    }
    find(method, path, query, headers) {
        if (method === "OPTIONS" && this.#preflight !== undefined)
            return this.#preflight;
        const resource = this.#table.resourceOf(path, query, headers);
        const restype = query.get("restype")?.toLowerCase();
        const comp = query.get("comp")?.toLowerCase();
        const rows = this.#rows.get(placeOf(method, resource, restype, comp));
        const found = rows?.find((row) => isMeant(row, query, headers));
        if (found !== undefined)
            return found;
        if (!this.#methods.get(resource)?.has(method)) {
            throw new Refusal(this.#table.unknownMethod ?? "UnsupportedHttpVerb");
        }
        if (comp !== undefined && rows === undefined) {
            throw badQuery("comp", comp, "There is no such operation on this resource.");
        }
        throw new Refusal(this.#table.unknownOperation);
    }
}
function placeOf(method, resource, restype, comp) {
    return `${method} ${resource} ${restype ?? ""} ${comp ?? ""}`;
}
function weightOf({ query, header }) {
    return Object.keys(query ?? {}).length + Object.keys(header ?? {}).length;
}
function isMeant(row, query, headers) {
    for (const name in row.query) {
        if (name === "restype" || name === "comp")
            continue;
        if (!agrees(row.query[name], query.get(name)))
            return false;
    }
    for (const name in row.header) {
        if (!agrees(row.header[name], headers[name]))
            return false;
    }
    return true;
}
function agrees(wanted, given) {
    if (given === undefined)
        return false;
    return wanted === true || wanted.toLowerCase() === given.toLowerCase();
}
