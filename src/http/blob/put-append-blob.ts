import { badHeader } from "../../base/refusals.ts";
import { putAppendBlob } from "../../services/blob/put-blob.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { IF_ALL } from "./read-conditions.ts";
import { readBlobRef, readCreateGuards, readProperties, refuseVersionOrSnapshot } from "./read-request.ts";
import { writtenHeaders } from "./replies.ts";
import type { BlobServices } from "./services.ts";

/** PUT with x-ms-blob-type: AppendBlob: an empty one */
export async function handlePutAppendBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers, body } = request;
  refuseVersionOrSnapshot(request.query);
  if (body.length !== 0) throw badHeader("Content-Length", String(body.length ?? ""));
  const length = headers["x-ms-blob-content-length"];
  if (length !== undefined) throw badHeader("x-ms-blob-content-length", length);
  const written = await putAppendBlob(blobs, {
    ref: readBlobRef(request),
    ...readCreateGuards(request, IF_ALL),
    properties: readProperties(request, true),
  });
  return { status: 201, headers: writtenHeaders(written) };
}
