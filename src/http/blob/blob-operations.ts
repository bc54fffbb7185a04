import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { leaseRows } from "../common/lease.ts";
import { getAndHead, onObject, row } from "../common/rows.ts";
import type { Operation } from "../operation.ts";
import { handleDeleteBlob } from "./delete-blob.ts";
import { handleDeleteImmutabilityPolicy } from "./delete-immutability-policy.ts";
import { getBlob, getBlobMetadata, getBlobProperties } from "./get-blob.ts";
import { handleGetBlobTags } from "./get-blob-tags.ts";
import { handleGetWebsite } from "./get-website.ts";
import { handleLeaseBlob } from "./lease-blob.ts";
import { BODY_BYTES_MAX, handleQueryBlobContents } from "./query-blob-contents.ts";
import { IF_ALL, IF_TAGS } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { handleSetBlobExpiry } from "./set-blob-expiry.ts";
import { handleSetBlobMetadata } from "./set-blob-metadata.ts";
import { handleSetBlobProperties } from "./set-blob-properties.ts";
import { handleSetBlobTags } from "./set-blob-tags.ts";
import { handleSetBlobTier } from "./set-blob-tier.ts";
import { handleSetImmutabilityPolicy, IF_UNMODIFIED } from "./set-immutability-policy.ts";
import { handleSetLegalHold } from "./set-legal-hold.ts";
import { handleSnapshotBlob } from "./snapshot-blob.ts";
import { handleUndeleteBlob } from "./undelete-blob.ts";

/** A blob batch consists of these, or of changes of tier. */
export const DELETE_BLOB_ROWS: readonly Operation<BlobServices>[] = [
  row({
    name: "DeleteBlob",
    method: "DELETE",
    resource: "blob",
    permission: onObject(["d"]),
    conditions: IF_ALL,
    lease: "checked",
    ok: [202],
    handle: handleDeleteBlob,
  }),
  row({
    name: "DeleteBlobVersion",
    method: "DELETE",
    resource: "blob",
    query: { versionid: true },
    permission: onObject(["x"]),
    conditions: IF_ALL,
    lease: "checked",
    ok: [202],
    handle: handleDeleteBlob,
  }),
  row({
    name: "DeleteBlobPermanently",
    method: "DELETE",
    resource: "blob",
    query: { deletetype: true },
    permission: onObject(["y"]),
    conditions: IF_ALL,
    lease: "checked",
    ok: [202],
    handle: handleDeleteBlob,
  }),
  row({
    name: "DeleteBlobVersionPermanently",
    method: "DELETE",
    resource: "blob",
    query: { deletetype: true, versionid: true },
    permission: onObject(["y"]),
    conditions: IF_ALL,
    lease: "checked",
    ok: [202],
    handle: handleDeleteBlob,
  }),
];

export const SET_BLOB_TIER_ROW = row<BlobServices>({
  resource: "blob",
  conditions: IF_TAGS,
  lease: "checked",
  name: "SetBlobTier",
  method: "PUT",
  query: { comp: "tier" },
  permission: onObject(["w"]),
  ok: [200, 202],
  handle: handleSetBlobTier,
});

/** Rows of the operation table that are about blobs, apart from writing their content. */
export const BLOB_ROWS: readonly Operation<BlobServices>[] = [
  row({
    name: "GetBlob",
    method: "GET",
    resource: "blob",
    permission: { ...onObject(["r"]), anonymous: "blob" },
    returnsEtag: true,
    conditions: IF_ALL,
    lease: "checked",
    ok: [200, 206],
    handle: getBlob,
  }),
  row({
    name: "GetBlobProperties",
    method: "HEAD",
    resource: "blob",
    permission: { ...onObject(["r"]), anonymous: "blob" },
    returnsEtag: true,
    conditions: IF_ALL,
    lease: "checked",
    handle: getBlobProperties,
  }),
  ...getAndHead({
    name: "GetBlobMetadata",
    resource: "blob",
    query: { comp: "metadata" },
    permission: { ...onObject(["r"]), anonymous: "blob" },
    returnsEtag: true,
    conditions: IF_ALL,
    lease: "checked",
    handle: getBlobMetadata,
  }),
  ...DELETE_BLOB_ROWS,
  row({
    name: "UndeleteBlob",
    method: "PUT",
    resource: "blob",
    query: { comp: "undelete" },
    permission: onObject(["w"]),
    handle: handleUndeleteBlob,
  }),
  row({
    name: "SetBlobMetadata",
    method: "PUT",
    resource: "blob",
    query: { comp: "metadata" },
    permission: onObject(["w"]),
    returnsEtag: true,
    conditions: IF_ALL,
    lease: "checked",
    handle: handleSetBlobMetadata,
  }),
  row({
    name: "SetBlobProperties",
    method: "PUT",
    resource: "blob",
    query: { comp: "properties" },
    permission: onObject(["w"]),
    returnsEtag: true,
    conditions: IF_ALL,
    lease: "checked",
    handle: handleSetBlobProperties,
  }),
  row({
    name: "SnapshotBlob",
    method: "PUT",
    resource: "blob",
    query: { comp: "snapshot" },
    permission: onObject(["c", "w"]),
    returnsEtag: true,
    conditions: IF_ALL,
    lease: "checked",
    ok: [201],
    handle: handleSnapshotBlob,
  }),
  row({
    name: "SetBlobExpiry",
    method: "PUT",
    resource: "blob",
    query: { comp: "expiry" },
    permission: onObject(["w"]),
    returnsEtag: true,
    lease: "checked",
    handle: handleSetBlobExpiry,
  }),
  ...getAndHead({
    name: "GetBlobTags",
    resource: "blob",
    query: { comp: "tags" },
    permission: onObject(["t"]),
    conditions: IF_TAGS,
    lease: "checked",
    handle: handleGetBlobTags,
  }),
  row({
    name: "SetBlobTags",
    method: "PUT",
    resource: "blob",
    query: { comp: "tags" },
    permission: onObject(["t"]),
    conditions: IF_TAGS,
    lease: "checked",
    body: "xml",
    bodyBytesMax: BLOB_LIMITS.tagsBodyBytesMax,
    ok: [204],
    handle: handleSetBlobTags,
  }),
  SET_BLOB_TIER_ROW,

  ...leaseRows<BlobServices>("Blob", {
    resource: "blob",
    query: { comp: "lease" },
    permission: onObject(["w"]),
    conditions: IF_ALL,
    handle: handleLeaseBlob,
  }),
  row({
    name: "SetImmutabilityPolicy",
    method: "PUT",
    resource: "blob",
    query: { comp: "immutabilitypolicies" },
    permission: onObject(["i"]),
    conditions: IF_UNMODIFIED,
    handle: handleSetImmutabilityPolicy,
  }),
  row({
    name: "DeleteImmutabilityPolicy",
    method: "DELETE",
    resource: "blob",
    query: { comp: "immutabilitypolicies" },
    permission: onObject(["i"]),
    handle: handleDeleteImmutabilityPolicy,
  }),
  row({
    name: "SetLegalHold",
    method: "PUT",
    resource: "blob",
    query: { comp: "legalhold" },
    permission: onObject(["i"]),
    handle: handleSetLegalHold,
  }),
  row({
    name: "QueryBlobContents",
    method: "POST",
    resource: "blob",
    query: { comp: "query" },
    permission: onObject(["r"]),
    returnsEtag: true,
    conditions: IF_ALL,
    lease: "checked",
    body: "xml",
    bodyBytesMax: BODY_BYTES_MAX,
    ok: [200, 206],
    handle: handleQueryBlobContents,
  }),
  ...getAndHead({
    name: "GetWebsite",
    resource: "website",
    permission: { type: "o", account: [], service: [], isOpen: true },
    returnsEtag: true,
    conditions: ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"],
    ok: [200, 206],
    handle: handleGetWebsite,
  }),
];
