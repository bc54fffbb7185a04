import type { GuardedState } from "../../services/blob/blobs.ts";
import { getBlobTags } from "../../services/blob/get-blob-tags.ts";
import { readLeaseId } from "../common/read-headers.ts";
import { XML } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { IF_TAGS, readSingleConditions, readTagConditions } from "./read-conditions.ts";
import { checkTagPermission, readBlobRef, readSelector } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { printTagsBody } from "./tags-wire.ts";

/** Tags and tier of a blob, or of a snapshot or version of it. Changes of them leave the ETag as it is. */
export function readTagsOfBlob(request: HttpRequest): GuardedState {
  checkTagPermission(request);
  return {
    ref: readBlobRef(request),
    selector: readSelector(request.query),
    conditions: readSingleConditions(request.headers, IF_TAGS),
    leaseId: readLeaseId(request.headers),
  };
}

export async function handleGetBlobTags(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const read = { ...readTagsOfBlob(request), conditions: readTagConditions(request.headers) };
  return { status: 200, headers: XML, body: printTagsBody(await getBlobTags(blobs, read)) };
}
