import { sealBlob } from "../../services/blob/append-block.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readAppendConditions } from "./append-block.ts";
import { readBlobGuards, refuseVersionOrSnapshot } from "./blob-headers.ts";
import { IF_FOUR, readBlobRef } from "./read-request.ts";
import { stamp } from "./replies.ts";
import type { BlobServices } from "./services.ts";

/** PUT ?comp=seal */
export async function handleAppendBlobSeal(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const sealed = await sealBlob(blobs, {
    ref: readBlobRef(request),
    ...readBlobGuards(request, IF_FOUR),
    append: readAppendConditions(request.headers),
  });
  return { status: 200, headers: { ...stamp(sealed.revision), "x-ms-blob-sealed": "true" } };
}
