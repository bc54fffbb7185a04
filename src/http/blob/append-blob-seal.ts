import { appendBlobSeal } from "../../services/blob/append-blob-seal.ts";
import { stamp } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readAppendConditions } from "./append-block.ts";
import { IF_FOUR } from "./read-conditions.ts";
import { readBlobGuards, readBlobRef, refuseVersionOrSnapshot } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

/** PUT ?comp=seal */
export async function handleAppendBlobSeal(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const sealed = await appendBlobSeal(blobs, {
    ref: readBlobRef(request),
    ...readBlobGuards(request, IF_FOUR),
    append: readAppendConditions(request.headers),
  });
  return { status: 200, headers: { ...stamp(sealed.revision), "x-ms-blob-sealed": "true" } };
}
