import { LIMITS } from "../../base/limits.js";
import { Refusal } from "../../base/refusals.js";
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const DASH = 0x2d;
const BLANK = 0x20;
const TAB = 0x09;
const CONTENT_TYPE = /^multipart\/mixed[ \t]*;[ \t]*boundary=(?:"([^"\r\n]{1,200})"|([^\s;,"]{1,200}))[ \t]*;?$/i;
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{1,200}$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/;
const REQUEST_LINE = /^([A-Z]{1,16}) ([\x21-\x7e\x80-\xff]{1,16384}) HTTP\/1\.[01]$/;
export function malformedBatch(reason) {
    return new Refusal("InvalidInput", { elements: { Reason: reason } });
}
export function isMultipart(contentType) {
    return contentType !== undefined && /^multipart\/mixed\b/i.test(contentType);
}
export function boundaryOf(contentType) {
    const found = CONTENT_TYPE.exec((contentType ?? "").slice(0, LIMITS.headerBytesMax));
    const boundary = found?.[1] ?? found?.[2];
    if (boundary === undefined || boundary.length > LIMITS.boundaryCharsMax || !BOUNDARY.test(boundary))
        throw malformedBatch("The content type does not name a boundary.");
    return boundary;
}
/** The parts between the boundaries, at most `partsMax + 1` of them: one more tells that there were too many. */
export function parseParts(body, boundary, partsMax) {
    if (body.length > LIMITS.multipartBytesMax)
        throw new Refusal("RequestBodyTooLarge");
    const delimiter = Buffer.from(`--${boundary}`, "latin1");
    const parts = [];
    let line = nextDelimiter(body, delimiter, 0);
    if (line === undefined || !isBlank(body, 0, line.start))
        throw malformedBatch("It does not start with its boundary.");
    while (!line.isLast) {
        const from = line.end;
        line = nextDelimiter(body, delimiter, from);
        if (line === undefined)
            throw malformedBatch("It does not end with its boundary.");
        parts.push(parsePart(body, from, line.start));
        if (parts.length > partsMax)
            return parts;
    }
    if (!isBlank(body, line.end, body.length))
        throw malformedBatch("There is more after its last boundary.");
    return parts;
}
/** The next line that is a boundary. A line that only begins like one is content, and the search goes on. */
function nextDelimiter(body, delimiter, from) {
    for (let at = body.indexOf(delimiter, from); at >= 0; at = body.indexOf(delimiter, at + 1)) {
        if (at > 0 && body[at - 1] !== LINE_FEED)
            continue;
        let after = at + delimiter.length;
        const isLast = body[after] === DASH && body[after + 1] === DASH;
        if (isLast)
            after += 2;
        while (body[after] === BLANK || body[after] === TAB)
            after++;
        if (body[after] === RETURN)
            after++;
        if (body[after] === LINE_FEED)
            after++;
        else if (after < body.length || !isLast)
            continue;
        // The line end before a boundary is part of it; at the very start of the content there is none to take.
        let start = at;
        if (start > from)
            start--;
        if (start > from && body[start - 1] === RETURN)
            start--;
        return { start, end: after, isLast };
    }
    return undefined;
}
function isBlank(body, from, to) {
    for (let i = from; i < to; i++) {
        const byte = body[i];
        if (byte !== RETURN && byte !== LINE_FEED && byte !== BLANK && byte !== TAB)
            return false;
    }
    return true;
}
function parsePart(body, from, to) {
    const head = readHead(body, from, to);
    return { headers: parseHeaders(head.lines, 0).headers, content: body.subarray(head.end, to) };
}
/** Lines up to an empty one, or to the end: the line end before a boundary may be the one that was empty. */
function readHead(body, from, to) {
    const lines = [];
    let at = from;
    while (at < to) {
        const found = body.indexOf(LINE_FEED, at);
        const lineEnd = found < 0 || found >= to ? to : found;
        const textEnd = lineEnd > at && body[lineEnd - 1] === RETURN ? lineEnd - 1 : lineEnd;
        const line = body.latin1Slice(at, textEnd);
        at = Math.min(lineEnd + 1, to);
        if (line === "")
            break;
        if (lines.length >= LIMITS.headerCountMax || at - from > LIMITS.headerBytesMax)
            throw malformedBatch("The headers of a part are too long.");
        lines.push(line);
    }
    return { lines, end: at };
}
function parseHeaders(lines, from) {
    const headers = {};
    const rawHeaders = [];
    for (let i = from; i < lines.length; i++) {
        const found = HEADER_LINE.exec(lines[i]);
        if (found === null)
            throw malformedBatch("A header line is malformed.");
        const value = found[2].trimEnd();
        const key = found[1].toLowerCase();
        // __proto__ is a name of HTTP but would not become a key.
        if (Object.hasOwn(headers, key) || key === "__proto__")
            throw malformedBatch(`The header ${key} is given twice or not allowed.`);
        headers[key] = value;
        rawHeaders.push(found[1], value);
    }
    return { headers, rawHeaders };
}
/** The request within a part of type application/http. */
export function parseSubRequest(part) {
    if (!/^application\/http\b/i.test(part.headers["content-type"] ?? ""))
        throw malformedBatch("A part is not of type application/http.");
    const { content } = part;
    const { lines, end } = readHead(content, 0, content.length);
    const request = REQUEST_LINE.exec(lines[0] ?? "");
    if (request === null)
        throw malformedBatch("A request line is malformed.");
    const { headers, rawHeaders } = parseHeaders(lines, 1);
    return {
        contentId: part.headers["content-id"],
        method: request[1],
        target: request[2],
        headers,
        rawHeaders,
        body: withoutLineEnds(content.subarray(end)),
    };
}
/** Bodies of sub-requests are JSON or nothing, and SDKs differ in the line ends they put around them. */
function withoutLineEnds(body) {
    let [from, to] = [0, body.length];
    while (from < to && (body[from] === RETURN || body[from] === LINE_FEED))
        from++;
    while (to > from && (body[to - 1] === RETURN || body[to - 1] === LINE_FEED))
        to--;
    return body.subarray(from, to);
}
