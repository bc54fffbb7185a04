import { percentByte } from "../../base/bytes.ts";
import { TextMemo } from "../../base/memo.ts";
import type { Headers } from "../exchange.ts";

/**
 * The head of an HTTP/1.1 request, read as strictly as RFC 9112 allows. Anything ambiguous (a bare line feed,
 * a folded line, a blank before the colon, two lengths, a length beside a transfer coding) is malformed: a
 * proxy in front of us must never see another request than we do.
 */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  /** Names and values alternately, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** By lower-cased name. */
  readonly headers: Headers;
  /** A name that was sent twice and must not be. */
  readonly repeated: string | undefined;
  /** Bytes of body that follow, or CHUNKED. */
  readonly bodyLength: number;
  readonly keepsAlive: boolean;
  /** HTTP/1.0, which has no chunks. */
  readonly isOld: boolean;
  /** The client waits for "100 Continue" before it sends the body. */
  readonly expectsContinue: boolean;
}

/** The request cannot be parsed, and neither can anything behind it on the connection. */
export class Malformed extends Error {
  override readonly name = "Malformed";
}

export const CHUNKED = -1;

/** Headers that mean the same joined with a comma. All others decide something and must not be repeated. */
const JOINABLE = new Set([
  ..."accept accept-charset accept-encoding accept-language cache-control connection cookie".split(" "),
  ..."forwarded keep-alive pragma te trailer upgrade via x-forwarded-for".split(" "),
  // The Table service has a refusal of its own for a repeated one.
  "x-http-method",
]);

const TOKEN = bytesOf(/[!#$%&'*+\-.^_`|~0-9A-Za-z]/);
const TARGET = bytesOf(/[\x21-\x7e\x80-\xff]/);
const VALUE = bytesOf(/[\t\x20-\x7e\x80-\xff]/);
const CR = 13;
const LF = 10;
const SPACE = 32;
const TAB = 9;
const COLON = 58;

/** Header names in lower case, by their spelling: nearly all requests use the same few dozen. */
const lowerNames = new TextMemo(
  (rawName) => {
    const name = rawName.toLowerCase();
    // An object would not store a property of this name.
    if (name === "__proto__") throw new Malformed("a header has a name that no client uses");
    return name;
  },
  { count: 2_048, chars: 64 },
);

/** Reads the lines of `data` up to `end`, where the blank line begins. */
export function readRequestHead(data: Buffer, end: number): RequestHead {
  const text = data.latin1Slice(0, end);
  let at = 0;
  while (at < end && TOKEN[data[at]!] === 1) at++;
  if (at === 0 || data[at] !== SPACE) throw new Malformed("the method is not a token");
  const method = text.slice(0, at);
  const urlStart = ++at;
  let bits = 0;
  while (at < end && TARGET[data[at]!] === 1) bits |= data[at++]!;
  if (at === urlStart || data[at] !== SPACE) throw new Malformed("the target is not one");
  const sent = text.slice(urlStart, at);
  // Some clients (curl) do not encode letters of other alphabets.
  const url = bits < 0x80 ? sent : sent.replaceAll(/[\x80-\xff]/g, percentByte);
  const lineEnd = Math.min(end, at + 9);
  const version = text.slice(at + 1, lineEnd);
  const isOld = version === "HTTP/1.0";
  if (!isOld && version !== "HTTP/1.1") throw new Malformed("the version is neither HTTP/1.1 nor HTTP/1.0");
  at = lineEnd;

  const rawHeaders: string[] = [];
  const headers: Record<string, string | undefined> = {};
  let repeated: string | undefined;
  while (at < end) {
    if (data[at] !== CR || data[at + 1] !== LF) throw new Malformed("a line does not end with CR LF");
    at += 2;
    const nameStart = at;
    while (at < end && TOKEN[data[at]!] === 1) at++;
    if (at === nameStart || data[at] !== COLON) throw new Malformed("a header has no name");
    const rawName = text.slice(nameStart, at);
    at++;
    while (at < end && (data[at] === SPACE || data[at] === TAB)) at++;
    const valueStart = at;
    while (at < end && VALUE[data[at]!] === 1) at++;
    let valueEnd = at;
    while (valueEnd > valueStart && (data[valueEnd - 1] === SPACE || data[valueEnd - 1] === TAB)) valueEnd--;
    const value = text.slice(valueStart, valueEnd);
    const name = lowerNames.get(rawName);
    rawHeaders.push(rawName, value);
    const former = headers[name];
    if (typeof former !== "string") headers[name] = value;
    else if (JOINABLE.has(name)) headers[name] = `${former}, ${value}`;
    else repeated = rawName;
  }
  if (!isOld && headers.host === undefined) throw new Malformed("there is no Host");
  const bodyLength = bodyLengthOf(headers, repeated, isOld);
  const expects = headers.expect !== undefined && headers.expect.toLowerCase() === "100-continue";
  return {
    method,
    url,
    rawHeaders,
    headers,
    repeated,
    bodyLength,
    keepsAlive: keepsAlive(headers.connection, isOld),
    isOld,
    expectsContinue: expects && !isOld && bodyLength !== 0,
  };
}

const DIGITS = /^[0-9]{1,15}$/;

function bodyLengthOf(headers: Headers, repeated: string | undefined, isOld: boolean): number {
  const length = headers["content-length"];
  const coding = headers["transfer-encoding"];
  if (repeated !== undefined && /^(content-length|transfer-encoding|host)$/i.test(repeated))
    throw new Malformed(`${repeated} came twice`);
  if (coding !== undefined) {
    if (length !== undefined) throw new Malformed("a length beside a transfer coding");
    if (isOld || coding.toLowerCase() !== "chunked") throw new Malformed("an unknown transfer coding");
    return CHUNKED;
  }
  if (length === undefined) return 0;
  if (!DIGITS.test(length)) throw new Malformed("the length is not a number");
  return Number(length);
}

function keepsAlive(connection: string | undefined, isOld: boolean): boolean {
  if (connection === undefined) return !isOld;
  const tokens = connection.toLowerCase();
  if (tokens === "keep-alive") return true;
  const list = tokens.split(",").map((token) => token.trim());
  return list.includes("close") ? false : !isOld || list.includes("keep-alive");
}

/** A table with a 1 for each byte that the pattern matches. */
function bytesOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (pattern.test(String.fromCharCode(byte)) ? 1 : 0));
}

export function hasBareLineFeed(data: Buffer): boolean {
  for (let at = data.indexOf(10); at >= 0; at = data.indexOf(10, at + 1)) {
    if (at === 0 || data[at - 1] !== 13) return true;
  }
  return false;
}

/**
 * A method, or an empty line in front of it. A client that speaks TLS to this port is refused at once by
 * this.
 */
export function beginsMethod(byte: number): boolean {
  return (byte > 0x20 && byte < 0x7f) || byte === 13;
}
