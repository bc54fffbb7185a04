import { MIB } from "../../base/limits.ts";
import { badHeader } from "../../base/refusals.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { checkBlockTarget, putBlock } from "../../services/blob/put-block.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { bytesMaxFor } from "./put-blob.ts";
import { blockReply, readBlockTarget } from "./put-block.ts";
import { refuseVersionOrSnapshot } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { openSourceBody, sourceDigests } from "./source-body.ts";

const BLOCK_SIZES = { since2019: BLOB_LIMITS.putBlockBytesMax, since2016: 100 * MIB, before: 100 * MIB };

/** PUT ?comp=block with x-ms-copy-source */
export async function handlePutBlockFromUrl(
  request: HttpRequest,
  services: BlobServices,
): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const target = readBlockTarget(request);
  const bytesMax = bytesMaxFor(request.version, BLOCK_SIZES);
  const checkTarget = () => checkBlockTarget(services.blobs, target);
  const options = { use: "blockFromUrl", bytesMax, crc64: true, checkTarget } as const;
  const source = await openSourceBody(request, services, options);
  try {
    if (source.length === 0) throw badHeader("x-ms-copy-source", "");
    await putBlock(services.blobs, { ...target, body: source.body, length: source.length });
  } finally {
    source.close();
  }
  return blockReply(target, sourceDigests(request, source));
}
