import { badHeader } from "../../base/refusals.ts";
import { appendBlock, checkAppendTarget } from "../../services/blob/append-block.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { appendBytesMax, appendedHeaders, readAppendTarget } from "./append-block.ts";
import { refuseVersionOrSnapshot } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { digestsOfPart, openSourceBody, sourceDigests } from "./source-body.ts";

/** PUT ?comp=appendblock with x-ms-copy-source */
export async function handleAppendBlockFromUrl(
  request: HttpRequest,
  services: BlobServices,
): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const target = readAppendTarget(request);
  const bytesMax = appendBytesMax(request.version);
  const checkTarget = () => checkAppendTarget(services.blobs, target);
  const options = { use: "partFromUrl", bytesMax, checkTarget, ...digestsOfPart(target.encryption) } as const;
  const source = await openSourceBody(request, services, options);
  try {
    if (source.length === 0) throw badHeader("x-ms-copy-source", "");
    const appended = await appendBlock(services.blobs, { ...target, body: source.body });
    return { status: 201, headers: appendedHeaders(request, appended, sourceDigests(request, source)) };
  } finally {
    source.close();
  }
}
