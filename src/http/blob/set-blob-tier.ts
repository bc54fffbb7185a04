import { PAGE_TIERS, setBlobTier } from "../../services/blob/set-blob-tier.ts";
import { missingHeader } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readTagsOfBlob } from "./get-blob-tags.ts";
import { IF_TAGS } from "./read-conditions.ts";
import { BLOCK_TIERS, readBlobGuards, readRehydratePriority, readTier } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

export async function handleSetBlobTier(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers } = request;
  const tier = readTier(headers, [...BLOCK_TIERS, ...PAGE_TIERS]);
  if (tier === undefined) throw missingHeader("x-ms-access-tier");
  const priority = readRehydratePriority(headers);
  const guarded = { ...readTagsOfBlob(request), ...readBlobGuards(request, IF_TAGS) };
  const state = await setBlobTier(blobs, { ...guarded, tier, priority });
  return { status: state === "done" ? 200 : 202 };
}
