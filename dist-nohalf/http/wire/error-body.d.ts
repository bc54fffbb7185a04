import type { Instant } from "../../base/clock.ts";
import type { Refusal } from "../../base/refusals.ts";
/**
 * How a refusal reads on the wire. Blob, Queue and File print `<Error>`; the Table service prints OData's JSON,
 * or OData's XML where the request was one of its XML ones (ACL, service properties) or takes nothing else.
 */
export type ErrorFormat = "xml" | "odataJson" | "odataXml";
export interface ErrorContext {
    readonly requestId: string;
    readonly time: Instant;
}
/** The code as the protocol spells it: also the value of x-ms-error-code. */
export declare function errorCodeOf(refusal: Refusal): string;
export declare function errorFormatOf(request: {
    readonly service: "blob" | "queue" | "table" | "file";
    readonly accept: string | undefined;
    /** The operation's own body is XML: Table ACL and service properties. */
    readonly isXmlOperation: boolean;
}): ErrorFormat;
export declare function printError(refusal: Refusal, format: ErrorFormat, context: ErrorContext): {
    readonly contentType: string;
    readonly body: string;
};
export declare function printXmlError(refusal: Refusal, context: ErrorContext): string;
export declare function printODataJsonError(refusal: Refusal, context: ErrorContext): string;
export declare function printODataXmlError(refusal: Refusal, context: ErrorContext): string;
