import { KIB, MIB } from "../../base/limits.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { badHeader, badQuery, Refusal } from "../../base/refusals.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { type PutBlock, putBlock } from "../../services/blob/put-block.ts";
import { mayOverwrite } from "../auth/caller.ts";
import { readLeaseId } from "../common/read-headers.ts";
import type { BodyStream, HttpReply, HttpRequest, ReplyHeaders } from "../exchange.ts";
import { BASE64 } from "../wire/digest.ts";
import { STRUCTURED_BODY } from "../wire/structured-body.ts";
import { bytesMaxFor, checkBodyLength } from "./put-blob.ts";
import { readWriteConditions } from "./read-conditions.ts";
import { readBlobRef, readEncryption, refuseVersionOrSnapshot } from "./read-request.ts";
import { digestHeaders, wantedDigests } from "./replies.ts";
import type { BlobServices } from "./services.ts";

/** The length of a block id in bytes; undefined when the text is not a block id. */
export function blockIdBytes(id: string): number | undefined {
  if (id === "" || id.length > 4 * Math.ceil(BLOB_LIMITS.blockIdBytesMax / 3) || !BASE64.test(id))
    return undefined;
  const bytes = Buffer.byteLength(id, "base64");
  return bytes <= BLOB_LIMITS.blockIdBytesMax ? bytes : undefined;
}

function readBlockId({ query }: HttpRequest): {
  readonly blockId: string;
  readonly blockIdBytes: number;
} {
  const id = query.get("blockid");
  if (id === undefined) {
    throw badQuery("blockid", "", "A block needs an id.", "MissingRequiredQueryParameter");
  }
  const bytes = blockIdBytes(id);
  if (bytes !== undefined) return { blockId: id, blockIdBytes: bytes };
  // An id that is only too long is out of range; other texts are not ids.
  if (id !== "" && BASE64.test(id)) throw new Refusal("OutOfRangeInput");
  throw badQuery("blockid", id, "Not a block id.", "InvalidQueryParameterValue");
}

const PUT_BLOCK_SIZES = { since2019: BLOB_LIMITS.putBlockBytesMax, since2016: 100 * MIB, before: 4 * MIB };

/** A longer body is streamed: for a shorter one the stream would cost more than the bytes. */
const WHOLE_BYTES_MAX = 64 * KIB;

/** The body of Put Block or Append Block; a stream computes the digests of the reply. */
export function readBlock(request: HttpRequest): MaybePromise<Buffer | BodyStream> {
  const { body } = request;
  if (body.length !== undefined && body.length <= WHOLE_BYTES_MAX) return body.read(WHOLE_BYTES_MAX);
  return body.stream(wantedDigests(request));
}

/** PUT ?comp=block */
export async function handlePutBlock(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { length } = request.body;
  refuseVersionOrSnapshot(request.query);
  checkBodyLength(request, bytesMaxFor(request.version, PUT_BLOCK_SIZES));
  if (length === 0) throw badHeader("Content-Length", "0");
  const target = readBlockTarget(request);
  const body = await readBlock(request);
  await putBlock(blobs, { ...target, length, body });
  return blockReply(target, {
    ...digestHeaders(request, body),
    "x-ms-structured-body":
      request.headers["x-ms-structured-body"] === undefined ? undefined : STRUCTURED_BODY,
  });
}

export function readBlockTarget(request: HttpRequest): Omit<PutBlock, "body" | "length"> {
  const { headers } = request;
  readWriteConditions(headers, []);
  return {
    ref: readBlobRef(request),
    leaseId: readLeaseId(headers),
    ...readBlockId(request),
    encryption: readEncryption(request),
    mayOverwrite: mayOverwrite(request.caller),
  };
}

export function blockReply({ encryption }: Pick<PutBlock, "encryption">, more: ReplyHeaders): HttpReply {
  const headers = {
    ...more,
    "x-ms-request-server-encrypted": "true",
    "x-ms-encryption-key-sha256": encryption.keySha256,
    "x-ms-encryption-scope": encryption.scope,
  };
  return { status: 201, headers };
}
