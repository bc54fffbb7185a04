import { instantOf, timestampOf } from "../../base/revision.ts";
import { quotedEtag } from "../../concurrency/etag.ts";
import type { Written } from "../../services/blob/put-blob.ts";
import type { Headers, HttpRequest, ReplyHeaders } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { STRUCTURED_BODY } from "../wire/structured-body.ts";

/** The digest the client sent, or the CRC64 of what arrived. */
export function digestHeaders({ headers }: HttpRequest, crc64: string | undefined): ReplyHeaders {
  const md5 = headers["content-md5"];
  return md5 === undefined ? { "x-ms-content-crc64": crc64 } : { "Content-MD5": md5 };
}

/** What the answer to a write of a part of a blob says: no version, but a digest. */
export function partWrittenHeaders(
  written: Written,
  digests: ReplyHeaders,
  headers: Headers,
): Record<string, string | undefined> {
  const out: Record<string, string | undefined> = {
    ETag: quotedEtag(written.revision),
    "Last-Modified": printHttpDate(instantOf(written.revision)),
    "x-ms-request-server-encrypted": "true",
    "x-ms-content-crc64": digests["x-ms-content-crc64"] as string | undefined,
    "Content-MD5": digests["Content-MD5"] as string | undefined,
  };
  if (written.keySha256 !== undefined) out["x-ms-encryption-key-sha256"] = written.keySha256;
  if (written.encryptionScope !== undefined) out["x-ms-encryption-scope"] = written.encryptionScope;
  if (headers["x-ms-structured-body"] !== undefined) out["x-ms-structured-body"] = STRUCTURED_BODY;
  return out;
}

/** What every answer to a write of content says. */
export function writtenHeaders(written: Written): Record<string, string | undefined> {
  return {
    ETag: quotedEtag(written.revision),
    "Last-Modified": printHttpDate(instantOf(written.revision)),
    "x-ms-version-id": written.version === undefined ? undefined : timestampOf(written.version),
    "x-ms-request-server-encrypted": "true",
    "x-ms-encryption-key-sha256": written.keySha256,
    "x-ms-encryption-scope": written.encryptionScope,
  };
}
