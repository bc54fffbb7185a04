import { Refusal } from "../../../base/refusals.js";
const LEVELS = {
    nometadata: "none",
    minimalmetadata: "minimal",
    fullmetadata: "full",
};
const JSON_SINCE = "2013-08-15";
/** The last few Accept headers: SDKs send the same one with every request. */
const remembered = new Map();
/** `$format` outranks Accept. Plain JSON means minimal metadata. */
export function metadataLevelOf(accept, format, version) {
    if (version !== "" && version < JSON_SINCE)
        throw new Refusal("JsonFormatNotSupported");
    const wanted = format ?? accept;
    if (wanted === undefined || wanted === "")
        return "minimal";
    const known = remembered.get(wanted);
    if (known !== undefined)
        return known;
    const level = readFormats(wanted);
    if (remembered.size < 64)
        remembered.set(wanted, level);
    return level;
}
function readFormats(text) {
    let refused = "MediaTypeNotSupported";
    for (const item of text.toLowerCase().split(",")) {
        const [type, ...parameters] = item.split(";").map((part) => part.trim());
        if (type === "*/*" || type === "application/*")
            return "minimal";
        if (type === "application/json" || type === "json") {
            const odata = parameters.find((parameter) => parameter.startsWith("odata="))?.slice(6);
            if (odata === undefined)
                return "minimal";
            const level = LEVELS[odata];
            if (level !== undefined)
                return level;
            refused = odata === "verbose" ? "JsonVerboseFormatNotSupported" : "MediaTypeNotSupported";
        }
        else if (type === "application/atom+xml" || type === "application/xml" || type === "atom") {
            refused = "AtomFormatNotSupported";
        }
    }
    throw new Refusal(refused);
}
/** Bodies are JSON; a client that does not say is believed to send it. */
export function checkContentType(contentType) {
    if (contentType === undefined || contentType === "" || contentType.startsWith("application/json")) {
        if (contentType?.includes("verbose") === true)
            throw new Refusal("JsonVerboseFormatNotSupported");
        return;
    }
    const type = contentType.toLowerCase();
    if (type.startsWith("application/json"))
        return;
    throw new Refusal(type.startsWith("application/atom+xml") ? "AtomFormatNotSupported" : "MediaTypeNotSupported");
}
export const JSON_TYPES = {
    none: "application/json;odata=nometadata;streaming=true;charset=utf-8",
    minimal: "application/json;odata=minimalmetadata;streaming=true;charset=utf-8",
    full: "application/json;odata=fullmetadata;streaming=true;charset=utf-8",
};
