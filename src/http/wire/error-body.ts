import type { Instant } from "../../base/clock.ts";
import type { Refusal } from "../../base/refusals.ts";
import { printIsoDate } from "./dates.ts";
import { withoutNewer } from "./since.ts";
import { element, escapeText, printXml, textElement } from "./xml-print.ts";

/**
 * A refusal on the wire. Blob, Queue and File print `<Error>`; the Table service prints OData's JSON, or
 * OData's XML where the operation's own body is XML (ACL, service properties) or the client accepts nothing
 * else.
 */
export type ErrorFormat = "xml" | "odataJson" | "odataXml";

export interface ErrorContext {
  readonly requestId: string;
  readonly version: string;
  readonly time: Instant;
  /** The kind of resource for texts that mention it; "blob" by default. */
  readonly resource?: string;
}

const CONTENT_TYPES: Readonly<Record<ErrorFormat, string>> = {
  xml: "application/xml",
  odataJson: "application/json;odata=minimalmetadata;streaming=true;charset=utf-8",
  odataXml: "application/xml",
};

const ODATA_METADATA = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata";

/** The code as the protocol spells it: also the value of x-ms-error-code. */
export function errorCodeOf(refusal: Refusal): string {
  return refusal.row.code ?? refusal.code;
}

export function errorFormatOf(request: {
  readonly service: "blob" | "queue" | "table" | "file";
  readonly accept: string | undefined;
  /** The operation's own body is XML: Table ACL and service properties. */
  readonly isXmlOperation: boolean;
}): ErrorFormat {
  if (request.service !== "table") return "xml";
  return request.isXmlOperation || acceptsOnlyXml(request.accept) ? "odataXml" : "odataJson";
}

function acceptsOnlyXml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const text = accept.toLowerCase();
  return text.includes("xml") && !text.includes("json") && !text.includes("*/*");
}

export function printError(
  refusal: Refusal,
  format: ErrorFormat,
  context: ErrorContext,
): { readonly contentType: string; readonly body: string } {
  return { contentType: CONTENT_TYPES[format], body: PRINTERS[format](refusal, context) };
}

const PRINTERS: Readonly<Record<ErrorFormat, (refusal: Refusal, context: ErrorContext) => string>> = {
  xml: printXmlError,
  odataJson: printODataJsonError,
  odataXml: printODataXmlError,
};

/** Every message ends with its place in the logs. */
function messageOf(refusal: Refusal, { requestId, time, resource }: ErrorContext): string {
  return `${textOf(refusal, resource)}\nRequestId:${requestId}\nTime:${printIsoDate(time)}`;
}

function textOf(refusal: Refusal, resource = "blob"): string {
  return refusal.detail.text ?? refusal.row.text.replace("{resource}", resource);
}

const UNSEEN = /[^\x20-\x7e]/g;
const REASON_CHARS_MAX = 256;
/** What the Table service refuses before OData runs: the caller, and the size of the body. */
const BEFORE_ODATA: ReadonlySet<number> = new Set([401, 403, 413]);

/**
 * The service puts the text of a refusal into the status line: SDKs show it for a HEAD, which has no body,
 * and some always. OData errors have HTTP's own phrase there.
 */
export function reasonOf(refusal: Refusal, isTable: boolean, resource?: string): string | undefined {
  if (isTable && !BEFORE_ODATA.has(refusal.row.http)) return undefined;
  // A text may quote the client, and a line of it must not become a header.
  return textOf(refusal, resource).slice(0, REASON_CHARS_MAX).replaceAll(UNSEEN, " ");
}

function printXmlError(refusal: Refusal, context: ErrorContext): string {
  let content =
    textElement("Code", errorCodeOf(refusal)) + textElement("Message", messageOf(refusal, context));
  const elements = withoutNewer(context.version, refusal.detail.elements);
  for (const name in elements) content += textElement(name, elements[name]!);
  return printXml(element("Error", content));
}

export function printODataJsonError(refusal: Refusal, context: ErrorContext): string {
  const message = { lang: "en-US", value: messageOf(refusal, context) };
  return JSON.stringify({ "odata.error": { code: errorCodeOf(refusal), message } });
}

function printODataXmlError(refusal: Refusal, context: ErrorContext): string {
  const code = textElement("m:code", errorCodeOf(refusal));
  const message = element("m:message", escapeText(messageOf(refusal, context)), { "xml:lang": "en-US" });
  return printXml(element("m:error", code + message, { "xmlns:m": ODATA_METADATA }), { bom: false });
}
