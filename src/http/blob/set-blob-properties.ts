import { setHttpHeaders } from "../../services/blob/set-blob-properties.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readBlobGuards, readNewHttpHeaders, refuseVersionOrSnapshot } from "./blob-headers.ts";
import { isPageChange, setPageBlobProperties } from "./page-properties.ts";
import { IF_ALL, readBlobRef } from "./read-request.ts";
import { stamp } from "./replies.ts";
import type { BlobServices } from "./services.ts";

export async function handleSetBlobProperties(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  if (isPageChange(request.headers)) return setPageBlobProperties(request, blobs);
  const { record } = await setHttpHeaders(blobs, {
    ref: readBlobRef(request),
    ...readBlobGuards(request, IF_ALL),
    http: readNewHttpHeaders(request.headers),
  });
  const sequence = record.kind === "page" ? String(record.sequenceNumber ?? 0n) : undefined;
  return { status: 200, headers: { ...stamp(record.revision), "x-ms-blob-sequence-number": sequence } };
}
