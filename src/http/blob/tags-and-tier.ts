import { badHeader } from "../../base/refusals.ts";
import {
  getBlobTags as getTags,
  setBlobTags as setTags,
  type TagsOfBlob,
} from "../../services/blob/blob-tags.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { PAGE_TIERS, setBlobTier as setTier } from "../../services/blob/set-blob-tier.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { BLOCK_TIERS, checkTagPermission, readBlobGuards, readSelector, readTier } from "./blob-headers.ts";
import {
  IF_TAGS,
  missingHeader,
  readBlobRef,
  readLeaseId,
  readSingleConditions,
  readTagConditions,
} from "./read-request.ts";
import { XML } from "./replies.ts";
import { type BlobRow, type BlobServices, getAndHead, onBlob, row } from "./rows.ts";
import { parseTagsBody, printTagsBody } from "./tags-wire.ts";

/** What is beside a blob: tags and tier. Neither changes its ETag. */
function readRead(request: HttpRequest): TagsOfBlob {
  checkTagPermission(request);
  return {
    ref: readBlobRef(request),
    selector: readSelector(request.query),
    conditions: readSingleConditions(request.headers, IF_TAGS),
    leaseId: readLeaseId(request.headers),
  };
}

async function getBlobTags(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const read = { ...readRead(request), conditions: readTagConditions(request.headers) };
  return { status: 200, headers: XML, body: printTagsBody(await getTags(blobs, read)) };
}

async function setBlobTags(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const guarded = {
    ...readRead(request),
    ...readBlobGuards(request, IF_TAGS),
    conditions: readTagConditions(request.headers),
  };
  const tags = parseTagsBody(await request.body.read(BLOB_LIMITS.tagsBodyBytesMax));
  await setTags(blobs, { ...guarded, tags });
  return { status: 204 };
}

export async function setBlobTier(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers } = request;
  const tier = readTier(headers, [...BLOCK_TIERS, ...PAGE_TIERS]);
  if (tier === undefined) throw missingHeader("x-ms-access-tier");
  const given = headers["x-ms-rehydrate-priority"];
  const priority = (["Standard", "High"] as const).find(
    (name) => name.toLowerCase() === given?.toLowerCase(),
  );
  if (given !== undefined && priority === undefined) throw badHeader("x-ms-rehydrate-priority", given);
  const guarded = { ...readRead(request), ...readBlobGuards(request, IF_TAGS) };
  const state = await setTier(blobs, { ...guarded, tier, priority });
  return { status: state === "done" ? 200 : 202 };
}

const common = { resource: "blob", conditions: IF_TAGS, lease: "checked" } as const;

export const TAGS_AND_TIER_ROWS: readonly BlobRow[] = [
  ...getAndHead({
    ...common,
    name: "GetBlobTags",
    query: { comp: "tags" },
    permission: onBlob(["t"]),
    handle: getBlobTags,
  }),
  row({
    ...common,
    name: "SetBlobTags",
    method: "PUT",
    query: { comp: "tags" },
    permission: onBlob(["t"]),
    body: "xml",
    bodyBytesMax: BLOB_LIMITS.tagsBodyBytesMax,
    ok: [204],
    handle: setBlobTags,
  }),
  row({
    ...common,
    name: "SetBlobTier",
    method: "PUT",
    query: { comp: "tier" },
    permission: onBlob(["w"]),
    ok: [200, 202],
    handle: setBlobTier,
  }),
];
