import { MIB } from "../../base/limits.ts";
import { badHeader } from "../../base/refusals.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { checkBlockTarget, putBlock } from "../../services/blob/put-block.ts";
import { mayOverwrite } from "../auth/caller.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readEncryption, refuseVersionOrSnapshot } from "./blob-headers.ts";
import { bytesMaxFor } from "./put-blob.ts";
import { readBlockId } from "./put-block.ts";
import { readBlobRef, readLeaseId, readWriteConditions } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { openSourceBody, sourceDigests } from "./source-body.ts";

const BLOCK_SIZES = { since2019: BLOB_LIMITS.putBlockBytesMax, since2016: 100 * MIB, before: 100 * MIB };

/** PUT ?comp=block with x-ms-copy-source */
export async function handlePutBlockFromUrl(
  request: HttpRequest,
  services: BlobServices,
): Promise<HttpReply> {
  const { headers } = request;
  refuseVersionOrSnapshot(request.query);
  readWriteConditions(headers, []);
  const common = {
    ref: readBlobRef(request),
    leaseId: readLeaseId(headers),
    ...readBlockId(request),
    encryption: readEncryption(request),
    mayOverwrite: mayOverwrite(request.caller),
  };
  const bytesMax = bytesMaxFor(request.version, BLOCK_SIZES);
  const checkTarget = () => checkBlockTarget(services.blobs, common);
  const wants = { use: "partFromUrl", bytesMax, crc64: true, checkTarget } as const;
  const source = await openSourceBody(request, services, wants);
  try {
    if (source.length === 0) throw badHeader("x-ms-copy-source", "");
    await putBlock(services.blobs, { ...common, body: source.body, length: source.length });
  } finally {
    source.close();
  }
  const { keySha256, scope } = common.encryption;
  return {
    status: 201,
    headers: {
      ...sourceDigests(request, source),
      "x-ms-request-server-encrypted": "true",
      "x-ms-encryption-key-sha256": keySha256,
      "x-ms-encryption-scope": scope,
    },
  };
}
