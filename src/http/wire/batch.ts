import { STATUS_CODES } from "node:http";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import {
  boundaryOf,
  isMultipart,
  malformedBatch,
  parseParts,
  parseSubRequest,
  type SubRequest,
} from "./multipart.ts";

/** Blob batch: a flat list of 1 to 256 requests. */
export function parseBlobBatch(contentType: string | undefined, body: Buffer): SubRequest[] {
  const parts = parseParts(body, boundaryOf(contentType), LIMITS.blobBatchRequestsMax);
  if (parts.length === 0) throw malformedBatch("It holds no request.");
  if (parts.length > LIMITS.blobBatchRequestsMax) throw new Refusal("ExceedsMaxBatchRequestCount");
  return parts.map(parseSubRequest);
}

/**
 * Table transaction: one change set of writes, or one query outside of any. The service refuses more than 100
 * operations inside the change set and not as a malformed body: then `isOverLimit` is set.
 */
export interface TableBatch {
  readonly isChangeSet: boolean;
  readonly requests: readonly SubRequest[];
  readonly isOverLimit: boolean;
}

export function parseTableBatch(contentType: string | undefined, body: Buffer): TableBatch {
  const parts = parseParts(body, boundaryOf(contentType), 1);
  const [only] = parts;
  if (only === undefined) throw malformedBatch("It holds no request.");
  if (parts.length > 1) throw malformedBatch("It holds more than one change set or query.");
  const type = only.headers["content-type"];
  if (!isMultipart(type))
    return { isChangeSet: false, requests: [parseSubRequest(only)], isOverLimit: false };
  const operations = parseParts(only.content, boundaryOf(type), LIMITS.tableBatchRequestsMax);
  if (operations.length === 0) throw malformedBatch("The change set is empty.");
  const isOverLimit = operations.length > LIMITS.tableBatchRequestsMax;
  const requests = operations.slice(0, LIMITS.tableBatchRequestsMax).map(parseSubRequest);
  return { isChangeSet: true, requests, isOverLimit };
}

export interface SubReply {
  readonly contentId?: string | undefined;
  readonly status: number;
  /** In place of HTTP's own reason phrase. */
  readonly reason?: string | undefined;
  /** Names as they are printed; an undefined value is left out. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer | undefined;
}

export interface BatchReply {
  readonly contentType: string;
  readonly body: Buffer;
}

/** `id` is a new UUID; SDKs use all that follows the "=" as the boundary, so it is never quoted. */
export function printBlobBatch(id: string, replies: readonly SubReply[]): BatchReply {
  const boundary = `batchresponse_${id}`;
  return {
    contentType: multipartType(boundary),
    body: Buffer.concat(printParts(boundary, replies, "")),
  };
}

/** The reply to a change set is nested as the request was; clients look for `changesetresponse_`. */
export function printTableBatch(
  ids: { readonly batch: string; readonly changeSet: string },
  replies: readonly SubReply[],
  isChangeSet = true,
): BatchReply {
  const boundary = `batchresponse_${ids.batch}`;
  const encoding = "Content-Transfer-Encoding: binary\r\n";
  if (!isChangeSet)
    return {
      contentType: multipartType(boundary),
      body: Buffer.concat(printParts(boundary, replies, encoding)),
    };
  const inner = `changesetresponse_${ids.changeSet}`;
  const body = Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Type: ${multipartType(inner)}\r\n\r\n`),
    ...printParts(inner, replies, encoding),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return { contentType: multipartType(boundary), body };
}

function multipartType(boundary: string): string {
  return `multipart/mixed; boundary=${boundary}`;
}

/** Heads with no body between them are one text: a buffer for each costs more than printing it. */
function printParts(boundary: string, replies: readonly SubReply[], encoding: string): Buffer[] {
  const out: Buffer[] = [];
  let text = "";
  for (const reply of replies) {
    const id = reply.contentId === undefined ? "" : `Content-ID: ${lineSafe(reply.contentId)}\r\n`;
    text += `--${boundary}\r\nContent-Type: application/http\r\n${encoding}${id}\r\n`;
    const reason = reply.reason ?? STATUS_CODES[reply.status] ?? "Unknown";
    text += `HTTP/1.1 ${reply.status} ${reason}\r\n`;
    for (const name in reply.headers) {
      const value = reply.headers[name];
      if (value !== undefined) text += `${name}: ${lineSafe(value)}\r\n`;
    }
    text += "\r\n";
    if (reply.body !== undefined) {
      out.push(Buffer.from(text, "latin1"));
      out.push(typeof reply.body === "string" ? Buffer.from(reply.body) : reply.body);
      text = "";
    }
    text += "\r\n";
  }
  out.push(Buffer.from(`${text}--${boundary}--\r\n`, "latin1"));
  return out;
}

/** No value of a client may start a line of its own in our reply. */
function lineSafe(value: string): string {
  return /[\r\n\0]/.test(value) ? value.replace(/[\r\n\0]/g, " ") : value;
}
