import { printIsoDate } from "./dates.js";
import { element, escapeText, printXml, textElement } from "./xml-print.js";
const CONTENT_TYPES = {
    xml: "application/xml",
    odataJson: "application/json;odata=minimalmetadata;streaming=true;charset=utf-8",
    odataXml: "application/xml",
};
const ODATA_METADATA = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata";
/** The code as the protocol spells it: also the value of x-ms-error-code. */
export function errorCodeOf(refusal) {
    return refusal.row.code ?? refusal.code;
}
export function errorFormatOf(request) {
    if (request.service !== "table")
        return "xml";
    return request.isXmlOperation || acceptsOnlyXml(request.accept) ? "odataXml" : "odataJson";
}
function acceptsOnlyXml(accept) {
    if (accept === undefined)
        return false;
    const text = accept.toLowerCase();
    return text.includes("xml") && !text.includes("json") && !text.includes("*/*");
}
export function printError(refusal, format, context) {
    return { contentType: CONTENT_TYPES[format], body: PRINTERS[format](refusal, context) };
}
const PRINTERS = {
    xml: printXmlError,
    odataJson: printODataJsonError,
    odataXml: printODataXmlError,
};
/** Every message ends with where to find it in the logs. */
function messageOf(refusal, { requestId, time }) {
    return `${refusal.detail.text ?? refusal.row.text}\nRequestId:${requestId}\nTime:${printIsoDate(time)}`;
}
export function printXmlError(refusal, context) {
    let content = textElement("Code", errorCodeOf(refusal)) + textElement("Message", messageOf(refusal, context));
    const { elements } = refusal.detail;
    for (const name in elements)
        content += textElement(name, elements[name]);
    return printXml(element("Error", content));
}
export function printODataJsonError(refusal, context) {
    const message = { lang: "en-US", value: messageOf(refusal, context) };
    return JSON.stringify({ "odata.error": { code: errorCodeOf(refusal), message } });
}
export function printODataXmlError(refusal, context) {
    const code = textElement("m:code", errorCodeOf(refusal));
    const message = element("m:message", escapeText(messageOf(refusal, context)), { "xml:lang": "en-US" });
    return printXml(element("m:error", code + message, { "xmlns:m": ODATA_METADATA }), { bom: false });
}
