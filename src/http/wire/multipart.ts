import { percentByte } from "../../base/bytes.ts";
import { LIMITS } from "../../base/limits.ts";
import { TextMemo } from "../../base/memo.ts";
import { Refusal } from "../../base/refusals.ts";

/**
 * multipart/mixed, as batches use it: parts between lines of `--boundary`, each with a few headers of its own
 * and, inside, one HTTP request. A Table transaction nests once more: one part that is itself multipart, the
 * change set.
 *
 * Lines end in CRLF; a bare LF is accepted too, because older client libraries write it. Only the boundary
 * ends a part; line ends around a sub-request's body do not belong to it. C++'s Table client puts a boundary
 * right behind the JSON before it, and ends a batch with a boundary like any other: JSON has no line ends in
 * its texts, so both are unambiguous. One forward search finds everything, so time is linear in the bytes.
 */
export interface Part {
  /** By lower-cased name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Buffer;
}

export interface SubRequest {
  readonly contentId: string | undefined;
  readonly method: string;
  /** A path or a whole address; blanks and letters beyond ASCII are encoded if the client did not. */
  readonly target: string;
  /** By lower-cased name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values alternately, as `readMetadata` and signatures need them. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const DASH = 0x2d;
const CLOSING_BRACE = 0x7d;
const BLANK = 0x20;
const TAB = 0x09;

/** Node's former client library writes `charset="utf-8"` in front of the boundary. */
const CONTENT_TYPE =
  /^multipart\/mixed(?:[ \t]*;[ \t]*[\w-]{1,40}=(?:"[^"\r\n]{0,200}"|[^\s;,"]{1,200})){1,4}[ \t]*;?$/i;
const BOUNDARY_PARAMETER = /;[ \t]*boundary=(?:"([^"]+)"|([^\s;,"]+))/i;
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{1,200}$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/;
/** The address ends at the last blank: one within it is a key's, which not every client encodes. */
const REQUEST_LINE = /^([A-Z]{1,16}) ([\x21-\x7e\x80-\xff][\x20-\x7e\x80-\xff]{0,16383}) HTTP\/1\.[01]$/;

export function malformedBatch(reason: string): Refusal {
  return new Refusal("InvalidInput", { elements: { Reason: reason } });
}

export function isMultipart(contentType: string | undefined): boolean {
  return contentType !== undefined && /^multipart\/mixed\b/i.test(contentType);
}

export function boundaryOf(contentType: string | undefined): string {
  const type = (contentType ?? "").slice(0, LIMITS.headerBytesMax);
  const found = CONTENT_TYPE.test(type) ? BOUNDARY_PARAMETER.exec(type) : null;
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined || boundary.length > LIMITS.boundaryCharsMax || !BOUNDARY.test(boundary))
    throw malformedBatch("The content type does not name a boundary.");
  return boundary;
}

/** The parts between the boundaries; `partsMax + 1` of them mean too many. */
export function parseParts(body: Buffer, boundary: string, partsMax: number): Part[] {
  if (body.length > LIMITS.multipartBytesMax) throw new Refusal("RequestBodyTooLarge");
  const delimiter = Buffer.from(`--${boundary}`, "latin1");
  const parts: Part[] = [];
  let line = nextDelimiter(body, delimiter, 0);
  if (line === undefined || !isBlank(body, 0, line.start))
    throw malformedBatch("It does not start with its boundary.");
  while (!line.isLast) {
    const from = line.end;
    line = nextDelimiter(body, delimiter, from);
    if (line === undefined) {
      if (parts.length > 0 && isBlank(body, from, body.length)) return parts;
      throw malformedBatch("It does not end with its boundary.");
    }
    parts.push(parsePart(body, from, line.start));
    if (parts.length > partsMax) return parts;
  }
  if (!isBlank(body, line.end, body.length)) throw malformedBatch("There is more after its last boundary.");
  return parts;
}

interface Delimiter {
  /** Where the content before it ends, without the boundary's own line end. */
  readonly start: number;
  /** Where the content after it begins. */
  readonly end: number;
  readonly isLast: boolean;
}

/** The next line that is a boundary. A line that only begins like one is content, and the search goes on. */
function nextDelimiter(body: Buffer, delimiter: Buffer, from: number): Delimiter | undefined {
  for (let at = body.indexOf(delimiter, from); at >= 0; at = body.indexOf(delimiter, at + 1)) {
    const before = at === 0 ? LINE_FEED : body[at - 1];
    if (before !== LINE_FEED && before !== CLOSING_BRACE) continue;
    let after = at + delimiter.length;
    const isLast = body[after] === DASH && body[after + 1] === DASH;
    if (isLast) after += 2;
    while (body[after] === BLANK || body[after] === TAB) after++;
    if (body[after] === RETURN) after++;
    if (body[after] === LINE_FEED) after++;
    else if (after < body.length || !isLast) continue;
    // The line end before a boundary belongs to it; at the start of the content there is none.
    let start = at;
    if (start > from && before === LINE_FEED) start--;
    if (start > from && start < at && body[start - 1] === RETURN) start--;
    return { start, end: after, isLast };
  }
  return undefined;
}

function isBlank(body: Buffer, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const byte = body[i]!;
    if (byte !== RETURN && byte !== LINE_FEED && byte !== BLANK && byte !== TAB) return false;
  }
  return true;
}

function parsePart(body: Buffer, from: number, to: number): Part {
  const head = readHead(body, from, to);
  return { headers: parseHeaders(head.lines, 0).headers, content: body.subarray(head.end, to) };
}

/** Lines up to an empty one, or to the end: the line end before a boundary may be the empty line. */
function readHead(body: Buffer, from: number, to: number): { lines: string[]; end: number } {
  const lines: string[] = [];
  let at = from;
  while (at < to) {
    const found = body.indexOf(LINE_FEED, at);
    const lineEnd = found < 0 || found >= to ? to : found;
    const textEnd = lineEnd > at && body[lineEnd - 1] === RETURN ? lineEnd - 1 : lineEnd;
    const line = body.latin1Slice(at, textEnd);
    at = Math.min(lineEnd + 1, to);
    if (line === "") break;
    if (lines.length >= LIMITS.headerCountMax || at - from > LIMITS.headerBytesMax)
      throw malformedBatch("The headers of a part are too long.");
    lines.push(line);
  }
  return { lines, end: at };
}

function parseHeaders(lines: readonly string[], from: number): Pick<SubRequest, "headers" | "rawHeaders"> {
  const headers: Record<string, string> = {};
  const rawHeaders: string[] = [];
  for (let i = from; i < lines.length; i++) {
    const { name, key, value } = headerLines.get(lines[i]!);
    // __proto__ is a name of HTTP but would not become a key.
    if (Object.hasOwn(headers, key) || key === "__proto__")
      throw malformedBatch(`The header ${key} is given twice or not allowed.`);
    headers[key] = value;
    rawHeaders.push(name, value);
  }
  return { headers, rawHeaders };
}

/** Clients write the same lines into every part. Long ones, as all signatures are, are not kept. */
const headerLines = new TextMemo(
  (line) => {
    const found = HEADER_LINE.exec(line);
    if (found === null) throw malformedBatch("A header line is malformed.");
    const name = found[1]!;
    return { name, key: name.toLowerCase(), value: found[2]!.trimEnd() };
  },
  { count: 64, chars: 64 },
);

/** The request within a part of type application/http. */
export function parseSubRequest(part: Part): SubRequest {
  if (!/^application\/http\b/i.test(part.headers["content-type"] ?? ""))
    throw malformedBatch("A part is not of type application/http.");
  const { content } = part;
  // As HTTP requires of a server: empty lines in front of a request are ignored.
  let start = 0;
  while (content[start] === RETURN || content[start] === LINE_FEED) start++;
  const { lines, end } = readHead(content, start, content.length);
  const request = REQUEST_LINE.exec(lines[0] ?? "");
  if (request === null) throw malformedBatch("A request line is malformed.");
  const { headers, rawHeaders } = parseHeaders(lines, 1);
  return {
    contentId: part.headers["content-id"],
    method: request[1]!,
    target: request[2]!.replaceAll(/[\x20\x80-\xff]/g, percentByte),
    headers,
    rawHeaders,
    body: withoutLineEnds(content.subarray(end)),
  };
}

/** Bodies of sub-requests are JSON or nothing, and SDKs differ in the line ends they put around them. */
function withoutLineEnds(body: Buffer): Buffer {
  let [from, to] = [0, body.length];
  while (from < to && (body[from] === RETURN || body[from] === LINE_FEED)) from++;
  while (to > from && (body[to - 1] === RETURN || body[to - 1] === LINE_FEED)) to--;
  return body.subarray(from, to);
}
