import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { setBlobTags } from "../../services/blob/set-blob-tags.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readTagsOfBlob } from "./get-blob-tags.ts";
import { IF_TAGS, readTagConditions } from "./read-conditions.ts";
import { readBlobGuards } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { parseTagsBody } from "./tags-wire.ts";

export async function handleSetBlobTags(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const guarded = {
    ...readTagsOfBlob(request),
    ...readBlobGuards(request, IF_TAGS),
    conditions: readTagConditions(request.headers),
  };
  const tags = parseTagsBody(await request.body.read(BLOB_LIMITS.tagsBodyBytesMax));
  await setBlobTags(blobs, { ...guarded, tags });
  return { status: 204 };
}
