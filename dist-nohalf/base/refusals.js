import { BLOB_REFUSALS } from "./refusals/blob.js";
import { COMMON_REFUSALS } from "./refusals/common.js";
import { FILE_REFUSALS } from "./refusals/file.js";
import { QUEUE_REFUSALS } from "./refusals/queue.js";
import { TABLE_REFUSALS } from "./refusals/table.js";
export const REFUSALS = {
    ...COMMON_REFUSALS,
    ...BLOB_REFUSALS,
    ...QUEUE_REFUSALS,
    ...TABLE_REFUSALS,
    ...FILE_REFUSALS,
};
/** An expected no. It carries no stack: refusals are part of the protocol, and contention makes many of them. */
export class Refusal extends Error {
    name = "Refusal";
    code;
    detail;
    constructor(code, detail = {}) {
        const limit = Error.stackTraceLimit;
        Error.stackTraceLimit = 0;
        super(code);
        Error.stackTraceLimit = limit;
        this.code = code;
        this.detail = detail;
    }
    get row() {
        return REFUSALS[this.code];
    }
}
/** A header the client must mend, named as the protocol names it. */
export function badHeader(name, value, code = "InvalidHeaderValue") {
    return new Refusal(code, { elements: { HeaderName: name, HeaderValue: value } });
}
/** A query parameter the client must mend. */
export function badQuery(name, value, reason, code = "InvalidQueryParameterValue") {
    return new Refusal(code, {
        elements: { QueryParameterName: name, QueryParameterValue: value, Reason: reason },
    });
}
