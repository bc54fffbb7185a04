import { getBlobTags, type TagsOfBlob } from "../../services/blob/blob-tags.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { checkTagPermission, readSelector } from "./blob-headers.ts";
import {
  IF_TAGS,
  readBlobRef,
  readLeaseId,
  readSingleConditions,
  readTagConditions,
} from "./read-request.ts";
import { XML } from "./replies.ts";
import type { BlobServices } from "./services.ts";
import { printTagsBody } from "./tags-wire.ts";

/** What is beside a blob: tags and tier. Neither changes its ETag. */
export function readTagsOfBlob(request: HttpRequest): TagsOfBlob {
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
