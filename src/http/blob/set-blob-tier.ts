import { badHeader } from "../../base/refusals.ts";
import { PAGE_TIERS, setBlobTier } from "../../services/blob/set-blob-tier.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { BLOCK_TIERS, readBlobGuards, readTier } from "./blob-headers.ts";
import { readTagsOfBlob } from "./get-blob-tags.ts";
import { IF_TAGS, missingHeader } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

export async function handleSetBlobTier(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers } = request;
  const tier = readTier(headers, [...BLOCK_TIERS, ...PAGE_TIERS]);
  if (tier === undefined) throw missingHeader("x-ms-access-tier");
  const given = headers["x-ms-rehydrate-priority"];
  const priority = (["Standard", "High"] as const).find(
    (name) => name.toLowerCase() === given?.toLowerCase(),
  );
  if (given !== undefined && priority === undefined) throw badHeader("x-ms-rehydrate-priority", given);
  const guarded = { ...readTagsOfBlob(request), ...readBlobGuards(request, IF_TAGS) };
  const state = await setBlobTier(blobs, { ...guarded, tier, priority });
  return { status: state === "done" ? 200 : 202 };
}
