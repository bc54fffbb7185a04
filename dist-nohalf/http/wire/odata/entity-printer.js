import { printEntityAddress } from "./address.js";
import { printEntityEtag, printTicks } from "./times.js";
/** One entity on its own, as Get Entity and Insert Entity answer. */
export function printEntity(context, entity, etag) {
    const timestamp = printTicks(entity.revision);
    if (context.level === "none")
        return closed(`{${members(context, entity, timestamp)}`);
    const head = `{"odata.metadata":${JSON.stringify(contextUrl(context, "/@Element"))},`;
    return closed(`${head}${metadata(context, entity, etag)}${members(context, entity, timestamp)}`);
}
export function printEntities(context, entities) {
    let body = context.level === "none"
        ? '{"value":['
        : `{"odata.metadata":${JSON.stringify(contextUrl(context, ""))},"value":[`;
    let separator = "{";
    for (const entity of entities) {
        const timestamp = printTicks(entity.revision);
        const about = context.level === "none" ? "" : metadata(context, entity, printEntityEtag(timestamp));
        body += closed(`${separator}${about}${members(context, entity, timestamp)}`);
        separator = ",{";
    }
    return `${body}]}`;
}
function contextUrl({ base, table, select }, suffix) {
    const selected = select === undefined ? "" : `&$select=${[...select].join(",")}`;
    return `${base}/$metadata#${table}${suffix}${selected}`;
}
/** An ETag stands in quotes that JSON must escape; nothing else in it needs it. */
function metadata({ level, base, account, table }, keys, etag) {
    const quoted = `"odata.etag":"${etag.replaceAll('"', '\\"')}",`;
    if (level === "minimal")
        return quoted;
    const link = JSON.stringify(printEntityAddress(table, keys)).slice(1, -1);
    return (`"odata.type":"${account}.${table}","odata.id":"${base}/${link}",${quoted}` +
        `"odata.editLink":"${link}",`);
}
/** Each with a comma at its end. */
function members(context, entity, timestamp) {
    const { level, select } = context;
    const types = level !== "none";
    let out = "";
    if (select === undefined || select.has("PartitionKey"))
        out += `"PartitionKey":${JSON.stringify(entity.partitionKey)},`;
    if (select === undefined || select.has("RowKey"))
        out += `"RowKey":${JSON.stringify(entity.rowKey)},`;
    if (select === undefined || select.has("Timestamp")) {
        if (level === "full")
            out += '"Timestamp@odata.type":"Edm.DateTime",';
        out += `"Timestamp":"${timestamp}",`;
    }
    for (const property of entity.properties) {
        if (select === undefined || select.has(property.name))
            out += printProperty(property, types);
    }
    return out;
}
/** Each member ends with a comma; the last one is one too many, if there is any. */
function closed(object) {
    return object.endsWith(",") ? `${object.slice(0, -1)}}` : `${object}}`;
}
/** With a comma at the end. Names are identifiers: nothing in them needs escaping. */
function printProperty(property, types) {
    const { name, type, value } = property;
    switch (type) {
        case "String":
            return `"${name}":${JSON.stringify(value)},`;
        case "Int32":
        case "Boolean":
            return `"${name}":${value},`;
        case "Double":
            if (Number.isFinite(value))
                return `"${name}":${printDouble(value)},`;
            return `${types ? `"${name}@odata.type":"Edm.Double",` : ""}"${name}":"${value}",`;
        case "Int64":
        case "Guid":
            return `${types ? `"${name}@odata.type":"Edm.${type}",` : ""}"${name}":"${value}",`;
        case "DateTime":
            return `${types ? `"${name}@odata.type":"Edm.DateTime",` : ""}"${name}":"${printTicks(value)}",`;
        case "Binary":
            return `${types ? `"${name}@odata.type":"Edm.Binary",` : ""}"${name}":"${value.toString("base64")}",`;
    }
}
/** A whole Double keeps its point: without it the number would come back as an Int32. */
function printDouble(value) {
    const text = String(value);
    return Number.isInteger(value) && !text.includes("e") ? `${text}.0` : text;
}
