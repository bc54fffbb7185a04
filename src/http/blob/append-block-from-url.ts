import { badHeader } from "../../base/refusals.ts";
import { appendBlock, checkAppendTarget } from "../../services/blob/append-block.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { appendBytesMax, appendedHeaders, readAppendConditions } from "./append-block.ts";
import { readBlobGuards, readEncryption, refuseVersionOrSnapshot } from "./blob-headers.ts";
import { IF_ALL, readBlobRef } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { openSourceBody, sourceDigests } from "./source-body.ts";

/** PUT ?comp=appendblock with x-ms-copy-source */
export async function handleAppendBlockFromUrl(
  request: HttpRequest,
  services: BlobServices,
): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const common = {
    ref: readBlobRef(request),
    ...readBlobGuards(request, IF_ALL),
    append: readAppendConditions(request.headers),
    encryption: readEncryption(request),
  };
  const bytesMax = appendBytesMax(request.version);
  const checkTarget = () => checkAppendTarget(services.blobs, common);
  const wants = { use: "partFromUrl", bytesMax, crc64: true, checkTarget } as const;
  const source = await openSourceBody(request, services, wants);
  try {
    if (source.length === 0) throw badHeader("x-ms-copy-source", "");
    const appended = await appendBlock(services.blobs, { ...common, body: source.body });
    return { status: 201, headers: appendedHeaders(request, appended, sourceDigests(request, source)) };
  } finally {
    source.close();
  }
}
