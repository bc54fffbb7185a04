import { KIB, MIB } from "../../base/limits.ts";
import { badHeader, badQuery, Refusal } from "../../base/refusals.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { putBlock } from "../../services/blob/put-block.ts";
import { mayOverwrite } from "../auth/caller.ts";
import type { HttpReply, HttpRequest, ReplyHeaders } from "../exchange.ts";
import { checkBytes } from "../wire/digest.ts";
import { STRUCTURED_BODY } from "../wire/structured-body.ts";
import { readEncryption, refuseVersionOrSnapshot } from "./blob-headers.ts";
import { bytesMaxFor, checkBodyLength } from "./put-blob.ts";
import { readBlobRef, readLeaseId, readWriteConditions } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { digestHeaders } from "./written-headers.ts";

/** Blocks of a block blob: put them, list them, make a blob of them. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The bytes in a block id; undefined when it is none. */
export function blockIdBytes(id: string): number | undefined {
  if (id === "" || id.length > 4 * Math.ceil(BLOB_LIMITS.blockIdBytesMax / 3) || !BASE64.test(id))
    return undefined;
  const bytes = Buffer.byteLength(id, "base64");
  return bytes <= BLOB_LIMITS.blockIdBytesMax ? bytes : undefined;
}

export function readBlockId({ query }: HttpRequest): {
  readonly blockId: string;
  readonly blockIdBytes: number;
} {
  const id = query.get("blockid");
  if (id === undefined) {
    throw badQuery("blockid", "", "A block needs an id.", "MissingRequiredQueryParameter");
  }
  const bytes = blockIdBytes(id);
  if (bytes !== undefined) return { blockId: id, blockIdBytes: bytes };
  // An id that is only too long is a value out of range; anything else is not an id.
  if (id !== "" && BASE64.test(id)) throw new Refusal("OutOfRangeInput");
  throw badQuery("blockid", id, "Not a block id.", "InvalidQueryParameterValue");
}

const PUT_BLOCK_SIZES = { since2019: BLOB_LIMITS.putBlockBytesMax, since2016: 100 * MIB, before: 4 * MIB };

/** Read at once; anything longer streams. */
const WHOLE_BYTES_MAX = 64 * KIB;

/** PUT ?comp=block */
export async function handlePutBlock(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { body, headers } = request;
  refuseVersionOrSnapshot(request.query);
  checkBodyLength(request, bytesMaxFor(request.version, PUT_BLOCK_SIZES));
  if (body.length === 0) throw badHeader("Content-Length", "0");
  readWriteConditions(headers, []);
  const common = {
    ref: readBlobRef(request),
    leaseId: readLeaseId(headers),
    ...readBlockId(request),
    encryption: readEncryption(request),
    length: body.length,
    mayOverwrite: mayOverwrite(request.caller),
  };
  const wantsCrc64 = headers["content-md5"] === undefined;
  if (body.length !== undefined && body.length <= WHOLE_BYTES_MAX) {
    const bytes = await body.read(WHOLE_BYTES_MAX);
    await putBlock(blobs, { ...common, body: bytes });
    return blockReply(request, checkBytes(bytes, { declared: {}, wantsCrc64 }).crc64);
  }
  const stream = body.stream({ crc64: wantsCrc64 });
  await putBlock(blobs, { ...common, body: stream });
  return blockReply(request, stream.crc64);
}

function blockReply(request: HttpRequest, crc64: string | undefined): HttpReply {
  const { headers } = request;
  const { keySha256, scope } = readEncryption(request);
  const out: ReplyHeaders = {
    ...digestHeaders(request, crc64),
    "x-ms-request-server-encrypted": "true",
    "x-ms-encryption-key-sha256": keySha256,
    "x-ms-encryption-scope": scope,
    "x-ms-structured-body": headers["x-ms-structured-body"] === undefined ? undefined : STRUCTURED_BODY,
  };
  return { status: 201, headers: out };
}
