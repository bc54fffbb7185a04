import { badHeader } from "../../base/refusals.ts";
import { createAppendBlob } from "../../services/blob/create-blob.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readCreateGuards, readProperties, refuseVersionOrSnapshot } from "./blob-headers.ts";
import { IF_ALL, readBlobRef } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { writtenHeaders } from "./written-headers.ts";

/** PUT with x-ms-blob-type: AppendBlob: an empty one */
export async function handlePutAppendBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers, body } = request;
  refuseVersionOrSnapshot(request.query);
  if (body.length !== 0) throw badHeader("Content-Length", String(body.length ?? ""));
  const length = headers["x-ms-blob-content-length"];
  if (length !== undefined) throw badHeader("x-ms-blob-content-length", length);
  const written = await createAppendBlob(blobs, {
    ref: readBlobRef(request),
    ...readCreateGuards(request, IF_ALL),
    properties: readProperties(request, true),
  });
  return { status: 201, headers: writtenHeaders(written) };
}
