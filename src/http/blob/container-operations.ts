import { LIMITS } from "../../base/limits.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { leaseRows } from "../common/lease.ts";
import { getAndHead, onContainer, onService, row } from "../common/rows.ts";
import type { Operation } from "../operation.ts";
import { DELETE_BLOB_ROWS, SET_BLOB_TIER_ROW } from "./blob-operations.ts";
import { handleCreateContainer } from "./create-container.ts";
import { handleDeleteContainer } from "./delete-container.ts";
import { handleFindBlobsByTags, handleFindBlobsByTagsInContainer } from "./find-blobs-by-tags.ts";
import { handleGetAccountInformation } from "./get-account-information.ts";
import { handleGetContainerAcl } from "./get-container-acl.ts";
import { handleGetContainerMetadata } from "./get-container-metadata.ts";
import { handleGetContainerProperties } from "./get-container-properties.ts";
import { handleLeaseContainer } from "./lease-container.ts";
import { handleListBlobs } from "./list-blobs.ts";
import { handleListContainers } from "./list-containers.ts";
import { IF_DATES } from "./read-request.ts";
import { handleRestoreContainer } from "./restore-container.ts";
import type { BlobServices } from "./services.ts";
import { handleSetContainerAcl } from "./set-container-acl.ts";
import { handleSetContainerMetadata, METADATA_CONDITIONS } from "./set-container-metadata.ts";
import { submitBatchHandlers } from "./submit-batch.ts";

/** Any right at all is enough: account information is the same for all, and each part of a batch is authorized itself. */
const ANY_LETTER = [..."rwdxylacuptfi"];

/** No SAS reaches the access policies of a container; bearer tokens do since this version. */
const ACL = { ...onContainer([]), bearerSince: "2025-07-05" } as const;

const { handleSubmitBatch, handleSubmitContainerBatch } = submitBatchHandlers([
  ...DELETE_BLOB_ROWS,
  SET_BLOB_TIER_ROW,
]);

function accountInformation(resource: "service" | "container" | "blob"): Operation<BlobServices>[] {
  const suffix = { service: "", container: "OfContainer", blob: "OfBlob" }[resource];
  return getAndHead({
    name: `GetAccountInformation${suffix}`,
    resource,
    query: { restype: "account", comp: "properties" },
    permission: { type: "sco", account: ANY_LETTER, service: ANY_LETTER, bearerSince: "2025-07-05" },
    handle: handleGetAccountInformation,
  });
}

/** Rows of the operation table that are about the account. */
export const SERVICE_ROWS: readonly Operation<BlobServices>[] = [
  ...accountInformation("service"),
  ...accountInformation("container"),
  ...accountInformation("blob"),
  row({
    name: "ListContainers",
    method: "GET",
    resource: "service",
    query: { comp: "list" },
    permission: onService(["l"]),
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: handleListContainers,
  }),
  row({
    name: "SubmitBatch",
    method: "POST",
    resource: "service",
    query: { comp: "batch" },
    permission: { type: "sco", account: ANY_LETTER, service: [] },
    body: "multipart",
    bodyBytesMax: LIMITS.multipartBytesMax,
    ok: [202],
    handle: handleSubmitBatch,
  }),
  row({
    // The JavaScript SDK takes the account in a path-style address for a container, and says so.
    name: "SubmitBatchAsOfContainer",
    method: "POST",
    resource: "service",
    query: { restype: "container", comp: "batch" },
    permission: { type: "sco", account: ANY_LETTER, service: [] },
    body: "multipart",
    bodyBytesMax: LIMITS.multipartBytesMax,
    ok: [202],
    handle: handleSubmitBatch,
  }),
  row({
    name: "SubmitContainerBatch",
    method: "POST",
    resource: "container",
    query: { restype: "container", comp: "batch" },
    permission: { type: "sco", account: ANY_LETTER, service: ANY_LETTER },
    body: "multipart",
    bodyBytesMax: LIMITS.multipartBytesMax,
    ok: [202],
    handle: handleSubmitContainerBatch,
  }),
  row({
    name: "FindBlobsByTags",
    method: "GET",
    resource: "service",
    query: { comp: "blobs" },
    permission: { type: "o", account: ["f"], service: [] },
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: handleFindBlobsByTags,
  }),
  row({
    name: "FindBlobsByTagsInContainer",
    method: "GET",
    resource: "container",
    query: { restype: "container", comp: "blobs" },
    permission: { type: "co", account: ["f"], service: ["f"] },
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: handleFindBlobsByTagsInContainer,
  }),
];

/** Rows of the operation table that are about containers. */
export const CONTAINER_ROWS: readonly Operation<BlobServices>[] = [
  row({
    name: "CreateContainer",
    method: "PUT",
    resource: "container",
    query: { restype: "container" },
    permission: onContainer(["c", "w"]),
    returnsEtag: true,
    ok: [201],
    handle: handleCreateContainer,
  }),
  ...getAndHead({
    name: "GetContainerProperties",
    resource: "container",
    query: { restype: "container" },
    permission: { ...onContainer(["r"]), anonymous: "container" },
    returnsEtag: true,
    lease: "checked",
    handle: handleGetContainerProperties,
  }),
  ...getAndHead({
    name: "GetContainerMetadata",
    resource: "container",
    query: { restype: "container", comp: "metadata" },
    permission: { ...onContainer(["r"]), anonymous: "container" },
    returnsEtag: true,
    lease: "checked",
    handle: handleGetContainerMetadata,
  }),
  row({
    name: "SetContainerMetadata",
    method: "PUT",
    resource: "container",
    query: { restype: "container", comp: "metadata" },
    permission: onContainer(["w"]),
    returnsEtag: true,
    conditions: METADATA_CONDITIONS,
    lease: "checked",
    handle: handleSetContainerMetadata,
  }),
  row({
    name: "DeleteContainer",
    method: "DELETE",
    resource: "container",
    query: { restype: "container" },
    permission: onContainer(["d"]),
    conditions: IF_DATES,
    lease: "checked",
    ok: [202],
    handle: handleDeleteContainer,
  }),
  row({
    name: "RestoreContainer",
    method: "PUT",
    resource: "container",
    query: { restype: "container", comp: "undelete" },
    permission: onContainer(["w"]),
    ok: [201],
    handle: handleRestoreContainer,
  }),
  ...getAndHead({
    name: "GetContainerAcl",
    resource: "container",
    query: { restype: "container", comp: "acl" },
    permission: ACL,
    returnsEtag: true,
    lease: "checked",
    handle: handleGetContainerAcl,
  }),
  row({
    name: "SetContainerAcl",
    method: "PUT",
    resource: "container",
    query: { restype: "container", comp: "acl" },
    permission: ACL,
    returnsEtag: true,
    conditions: IF_DATES,
    lease: "checked",
    body: "xml",
    bodyBytesMax: BLOB_LIMITS.aclBodyBytesMax,
    handle: handleSetContainerAcl,
  }),
  ...leaseRows<BlobServices>("Container", {
    resource: "container",
    query: { restype: "container", comp: "lease" },
    permission: onContainer(["w"]),
    conditions: IF_DATES,
    handle: handleLeaseContainer,
  }),
  row({
    name: "ListBlobs",
    method: "GET",
    resource: "container",
    query: { restype: "container", comp: "list" },
    permission: { ...onContainer(["l"], ["l"]), anonymous: "container" },
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: handleListBlobs,
  }),
];
