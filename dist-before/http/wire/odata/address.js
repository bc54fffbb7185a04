import { Refusal } from "../../../base/refusals.js";
export function resourceKindOf(path) {
    if (path === "")
        return "service";
    const parenthesis = path.indexOf("(");
    if (parenthesis < 0) {
        if (path === "$batch")
            return "batch";
        if (path === "Tables")
            return "tables";
        if (path.includes("/"))
            throw new Refusal("InvalidUri");
        return "table";
    }
    if (path.charCodeAt(path.length - 1) !== CLOSING)
        throw new Refusal("InvalidUri");
    const isEmpty = parenthesis === path.length - 2;
    if (path.startsWith("Tables("))
        return isEmpty ? "tables" : "tableItem";
    return isEmpty ? "table" : "entity";
}
const CLOSING = 0x29;
const QUOTE = 0x27;
export function tableOfPath(path) {
    const parenthesis = path.indexOf("(");
    return parenthesis < 0 ? path : path.slice(0, parenthesis);
}
/** `Tables('name')` */
export function parseTableItem(path) {
    const name = /^Tables\((?:TableName=)?'([^']*)'\)$/.exec(path)?.[1];
    if (name === undefined)
        throw keyCount("Tables");
    return name;
}
export function parseEntityAddress(path) {
    const parenthesis = path.indexOf("(");
    if (parenthesis < 0)
        return { table: path, keys: undefined };
    const table = path.slice(0, parenthesis);
    if (parenthesis === path.length - 2)
        return { table, keys: undefined };
    const keys = new Map();
    let at = parenthesis + 1;
    for (;;) {
        const equals = path.indexOf("=", at);
        const name = equals < 0 ? "" : path.slice(at, equals).trim();
        const end = equals < 0 ? -1 : closingQuote(path, equals + 1);
        if (end < 0 || (name !== "PartitionKey" && name !== "RowKey") || keys.has(name))
            throw keyCount(table);
        const raw = path.slice(equals + 2, end);
        keys.set(name, raw.includes("'") ? raw.replaceAll("''", "'") : raw);
        at = end + 1;
        if (path[at] === ")" && at === path.length - 1)
            break;
        if (path[at] !== ",")
            throw keyCount(table);
        at++;
    }
    const partitionKey = keys.get("PartitionKey");
    const rowKey = keys.get("RowKey");
    if (partitionKey === undefined || rowKey === undefined)
        throw keyCount(table);
    return { table, keys: { partitionKey, rowKey } };
}
/** The quote that ends a text which starts at `at`, or -1. */
function closingQuote(path, at) {
    if (path.charCodeAt(at) !== QUOTE)
        return -1;
    let end = path.indexOf("'", at + 1);
    while (end >= 0 && path.charCodeAt(end + 1) === QUOTE)
        end = path.indexOf("'", end + 2);
    return end;
}
function keyCount(resource) {
    return new Refusal("InvalidInput", {
        text: `The number of keys specified in the URI does not match number of key properties for the resource '${resource.slice(0, 64)}'.`,
    });
}
/** As links and Location headers carry it: `name(PartitionKey='p',RowKey='r')`, encoded. */
export function printEntityAddress(table, { partitionKey, rowKey }) {
    return `${table}(PartitionKey='${printKey(partitionKey)}',RowKey='${printKey(rowKey)}')`;
}
const PLAIN_KEY = /^[A-Za-z0-9_.~-]*$/;
function printKey(key) {
    return PLAIN_KEY.test(key) ? key : encodeURIComponent(key.replaceAll("'", "''"));
}
