import { Refusal } from "../../base/refusals.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { leaseRows } from "../common/lease.ts";
import {
  ACCEPTED,
  ACL_BY_TOKEN,
  CREATED,
  getAndHead,
  LISTING,
  MULTIPART,
  NO_CONTENT,
  onContainer,
  onContainerBySas,
  onObject,
  onService,
  row,
  stream,
  xml,
} from "../common/rows.ts";
import { commonOperations } from "../common/service-operations.ts";
import { GET_USER_DELEGATION_KEY } from "../common/user-delegation-key.ts";
import type { Query } from "../exchange.ts";
import type { Operation, OperationTable, Permission, ResourceKind } from "../operation.ts";
import { handleAbortCopyBlob } from "./abort-copy-blob.ts";
import { handleAppendBlobSeal } from "./append-blob-seal.ts";
import { handleAppendBlock } from "./append-block.ts";
import { handleAppendBlockFromUrl } from "./append-block-from-url.ts";
import { handleCopyBlob } from "./copy-blob.ts";
import { handleCopyBlobFromUrl } from "./copy-blob-from-url.ts";
import { handleCreateContainer } from "./create-container.ts";
import { handleDeleteBlob } from "./delete-blob.ts";
import { handleDeleteContainer } from "./delete-container.ts";
import { handleFindBlobsByTags, handleFindBlobsByTagsInContainer } from "./find-blobs-by-tags.ts";
import { handleGetAccountInformation } from "./get-account-information.ts";
import { handleGetBlob, handleGetBlobMetadata, handleGetBlobProperties } from "./get-blob.ts";
import { handleGetBlobTags } from "./get-blob-tags.ts";
import { handleGetBlockList } from "./get-block-list.ts";
import { handleGetContainerAcl } from "./get-container-acl.ts";
import { handleGetContainerMetadata, handleGetContainerProperties } from "./get-container-properties.ts";
import { handleGetPageRanges } from "./get-page-ranges.ts";
import { handleGetWebsite } from "./get-website.ts";
import {
  handleDeleteImmutabilityPolicy,
  handleSetImmutabilityPolicy,
  handleSetLegalHold,
  IF_UNMODIFIED,
} from "./immutability.ts";
import { handleIncrementalCopyBlob } from "./incremental-copy-blob.ts";
import { handleLeaseBlob } from "./lease-blob.ts";
import { handleLeaseContainer } from "./lease-container.ts";
import { handleListBlobs } from "./list-blobs.ts";
import { handleListContainers } from "./list-containers.ts";
import { handlePutAppendBlob } from "./put-append-blob.ts";
import { handlePutBlob, handlePutBlobOfNoType } from "./put-blob.ts";
import { handlePutBlobFromUrl } from "./put-blob-from-url.ts";
import { handlePutBlock } from "./put-block.ts";
import { handlePutBlockFromUrl } from "./put-block-from-url.ts";
import { handlePutBlockList } from "./put-block-list.ts";
import { handlePutPage } from "./put-page.ts";
import { handlePutPageBlob } from "./put-page-blob.ts";
import { handlePutPageFromUrl } from "./put-page-from-url.ts";
import { BODY_BYTES_MAX, handleQueryBlobContents } from "./query-blob-contents.ts";
import { IF_ALL, IF_DATES, IF_FOUR, IF_TAGS } from "./read-conditions.ts";
import { handleRestoreContainer } from "./restore-container.ts";
import type { BlobServices } from "./services.ts";
import { handleSetBlobExpiry } from "./set-blob-expiry.ts";
import { handleSetBlobMetadata } from "./set-blob-metadata.ts";
import { handleSetBlobProperties } from "./set-blob-properties.ts";
import { handleSetBlobTags } from "./set-blob-tags.ts";
import { handleSetBlobTier } from "./set-blob-tier.ts";
import { handleSetContainerAcl } from "./set-container-acl.ts";
import { handleSetContainerMetadata, METADATA_CONDITIONS } from "./set-container-metadata.ts";
import { handleSnapshotBlob } from "./snapshot-blob.ts";
import { submitBatchHandlers } from "./submit-batch.ts";
import { handleUndeleteBlob } from "./undelete-blob.ts";

/** Account information is the same for all callers, and each part of a batch is authorized by its own row. */
const ANY_LETTER = [..."rwdxylacuptfi"];
const BATCH: Permission = { type: "sco", account: ANY_LETTER, service: [] };
const ANY_SAS: Permission = {
  ...BATCH,
  service: ANY_LETTER,
  bearerSince: "2025-07-05",
  isHidden: true,
};
const READ_BLOB: Permission = { ...onObject("r"), anonymous: "blob" };
const READ_CONTAINER: Permission = { ...onContainer("r"), anonymous: "container" };

const LEASED = { returnsEtag: true, lease: "checked" } as const;
const BY_TAGS = { conditions: IF_TAGS, lease: "checked" } as const;
const GUARDED = { ...LEASED, conditions: IF_ALL } as const;
const CREATES = { ...GUARDED, ...CREATED } as const;
const COPIES = { ...GUARDED, ...ACCEPTED } as const;
const DELETES = { conditions: IF_ALL, lease: "checked", ...ACCEPTED } as const;

/**
 * Also where the operation has no body: the row admits one so that the handler can refuse it with its own
 * code.
 */
const BODY = stream(BLOB_LIMITS.putBlobBytesMax);
const CREATES_BY_BODY = { ...CREATES, ...BODY } as const;

const ACCOUNT = "restype=account&comp=properties";
const CONTAINER = "container?restype=container";

const DELETE_BLOB_ROWS: readonly Operation<BlobServices>[] = [
  row("DeleteBlob", "DELETE blob", onObject("d"), handleDeleteBlob, DELETES),
  row("DeleteBlobVersion", "DELETE blob?versionid=*", onObject("x"), handleDeleteBlob, DELETES),
  row("DeleteBlobPermanently", "DELETE blob?deletetype=*", onObject("y"), handleDeleteBlob, DELETES),
  row(
    "DeleteBlobVersionPermanently",
    "DELETE blob?deletetype=*&versionid=*",
    onObject("y"),
    handleDeleteBlob,
    DELETES,
  ),
];

const SET_BLOB_TIER = row("SetBlobTier", "PUT blob?comp=tier", onObject("w"), handleSetBlobTier, {
  ...BY_TAGS,
  ok: [200, 202],
});

const { handleSubmitBatch, handleSubmitContainerBatch } = submitBatchHandlers([
  ...DELETE_BLOB_ROWS,
  SET_BLOB_TIER,
]);

const BATCH_OPTIONS = { ...MULTIPART, ...ACCEPTED };

const SERVICE_ROWS: readonly Operation<BlobServices>[] = [
  ...getAndHead("GetAccountInformation", `service?${ACCOUNT}`, ANY_SAS, handleGetAccountInformation),
  ...getAndHead(
    "GetAccountInformationOfContainer",
    `container?${ACCOUNT}`,
    ANY_SAS,
    handleGetAccountInformation,
  ),
  ...getAndHead("GetAccountInformationOfBlob", `blob?${ACCOUNT}`, ANY_SAS, handleGetAccountInformation),
  row("ListContainers", "GET service?comp=list", onService("l"), handleListContainers, LISTING),
  row("SubmitBatch", "POST service?comp=batch", BATCH, handleSubmitBatch, BATCH_OPTIONS),
  // The JavaScript SDK mistakes the account in a path-style address for a container.
  row(
    "SubmitBatchAsOfContainer",
    "POST service?restype=container&comp=batch",
    BATCH,
    handleSubmitBatch,
    BATCH_OPTIONS,
  ),
  row(
    "SubmitContainerBatch",
    `POST ${CONTAINER}&comp=batch`,
    { ...BATCH, service: ANY_LETTER },
    handleSubmitContainerBatch,
    BATCH_OPTIONS,
  ),
  row(
    "FindBlobsByTags",
    "GET service?comp=blobs",
    { ...onObject("f"), service: [] },
    handleFindBlobsByTags,
    LISTING,
  ),
  row(
    "FindBlobsByTagsInContainer",
    `GET ${CONTAINER}&comp=blobs`,
    { ...onObject("f"), type: "co" },
    handleFindBlobsByTagsInContainer,
    LISTING,
  ),
];

const CONTAINER_ROWS: readonly Operation<BlobServices>[] = [
  row("CreateContainer", `PUT ${CONTAINER}`, onContainer("c", "w"), handleCreateContainer, {
    returnsEtag: true,
    ...CREATED,
  }),
  ...getAndHead("GetContainerProperties", CONTAINER, READ_CONTAINER, handleGetContainerProperties, LEASED),
  ...getAndHead(
    "GetContainerMetadata",
    `${CONTAINER}&comp=metadata`,
    READ_CONTAINER,
    handleGetContainerMetadata,
    LEASED,
  ),
  row(
    "SetContainerMetadata",
    `PUT ${CONTAINER}&comp=metadata`,
    onContainer("w"),
    handleSetContainerMetadata,
    { ...LEASED, conditions: METADATA_CONDITIONS },
  ),
  row("DeleteContainer", `DELETE ${CONTAINER}`, onContainer("d"), handleDeleteContainer, {
    conditions: IF_DATES,
    lease: "checked",
    ...ACCEPTED,
  }),
  row(
    "RestoreContainer",
    `PUT ${CONTAINER}&comp=undelete`,
    onContainer("w"),
    handleRestoreContainer,
    CREATED,
  ),
  ...getAndHead("GetContainerAcl", `${CONTAINER}&comp=acl`, ACL_BY_TOKEN, handleGetContainerAcl, LEASED),
  row("SetContainerAcl", `PUT ${CONTAINER}&comp=acl`, ACL_BY_TOKEN, handleSetContainerAcl, {
    ...LEASED,
    conditions: IF_DATES,
    ...xml(BLOB_LIMITS.aclBodyBytesMax),
  }),
  ...leaseRows("Container", `${CONTAINER}&comp=lease`, onContainer("w"), handleLeaseContainer, {
    conditions: IF_DATES,
  }),
  row(
    "ListBlobs",
    `GET ${CONTAINER}&comp=list`,
    { ...onContainerBySas("l"), anonymous: "container" },
    handleListBlobs,
    LISTING,
  ),
];

/**
 * Put stands before copy, and copy before put from URL: of rows with equally many selectors the first one
 * wins.
 */
const CONTENT_ROWS: readonly Operation<BlobServices>[] = [
  row("PutBlob", "PUT blob, x-ms-blob-type: BlockBlob", onObject("c", "w"), handlePutBlob, CREATES_BY_BODY),
  row("PutBlobOfNoType", "PUT blob", onObject("c", "w"), handlePutBlobOfNoType, { ...BODY, ...CREATED }),
  row("PutBlock", "PUT blob?comp=block", onObject("w", "c"), handlePutBlock, {
    lease: "checked",
    ...stream(BLOB_LIMITS.putBlockBytesMax),
    ...CREATED,
  }),
  row("PutBlockList", "PUT blob?comp=blocklist", onObject("w", "c"), handlePutBlockList, {
    ...CREATES,
    ...xml(BLOB_LIMITS.blockListBytesMax),
  }),
  row("GetBlockList", "GET blob?comp=blocklist", READ_BLOB, handleGetBlockList, {
    ...LEASED,
    conditions: IF_TAGS,
    replyBytesMax: BLOB_LIMITS.blockListBytesMax,
  }),
  row(
    "PutAppendBlob",
    "PUT blob, x-ms-blob-type: AppendBlob",
    onObject("c", "w"),
    handlePutAppendBlob,
    CREATES_BY_BODY,
  ),
  row("AppendBlock", "PUT blob?comp=appendblock", onObject("a", "w"), handleAppendBlock, {
    ...CREATES,
    ...stream(BLOB_LIMITS.appendBlockBytesMax),
  }),
  row("AppendBlobSeal", "PUT blob?comp=seal", onObject("a", "w"), handleAppendBlobSeal, {
    ...LEASED,
    conditions: IF_FOUR,
  }),
  row(
    "PutPageBlob",
    "PUT blob, x-ms-blob-type: PageBlob",
    onObject("c", "w"),
    handlePutPageBlob,
    CREATES_BY_BODY,
  ),
  row("PutPage", "PUT blob?comp=page", onObject("w"), handlePutPage, CREATES_BY_BODY),
  row("GetPageRanges", "GET blob?comp=pagelist", READ_BLOB, handleGetPageRanges, {
    ...GUARDED,
    ...LISTING,
    isBare: true,
  }),
  row("CopyBlob", "PUT blob, x-ms-copy-source: *", onObject("c", "w"), handleCopyBlob, COPIES),
  row(
    "CopyBlobFromUrl",
    "PUT blob, x-ms-copy-source: *, x-ms-requires-sync: true",
    onObject("c", "w"),
    handleCopyBlobFromUrl,
    COPIES,
  ),
  row("AbortCopyBlob", "PUT blob?comp=copy", onObject("w"), handleAbortCopyBlob, {
    lease: "checked",
    bodyBytesMax: BLOB_LIMITS.keyInfoBodyBytesMax,
    ...NO_CONTENT,
  }),
  row(
    "PutBlobFromUrl",
    "PUT blob, x-ms-blob-type: BlockBlob, x-ms-copy-source: *",
    onObject("c", "w"),
    handlePutBlobFromUrl,
    CREATES_BY_BODY,
  ),
  row(
    "PutBlockFromUrl",
    "PUT blob?comp=block, x-ms-copy-source: *",
    onObject("w", "c"),
    handlePutBlockFromUrl,
    { lease: "checked", ...BODY, ...CREATED },
  ),
  row(
    "AppendBlockFromUrl",
    "PUT blob?comp=appendblock, x-ms-copy-source: *",
    onObject("a", "w"),
    handleAppendBlockFromUrl,
    CREATES_BY_BODY,
  ),
  row("PutPageFromUrl", "PUT blob?comp=page, x-ms-copy-source: *", onObject("w"), handlePutPageFromUrl, {
    ...CREATES_BY_BODY,
    isBare: true,
  }),
  row("CopyIncremental", "PUT blob?comp=incrementalcopy", onObject("c", "w"), handleIncrementalCopyBlob, {
    returnsEtag: true,
    conditions: IF_ALL,
    ...ACCEPTED,
  }),
];

const BLOB_ROWS: readonly Operation<BlobServices>[] = [
  row("GetBlob", "GET blob", READ_BLOB, handleGetBlob, { ...GUARDED, ok: [200, 206] }),
  row("GetBlobProperties", "HEAD blob", READ_BLOB, handleGetBlobProperties, GUARDED),
  ...getAndHead("GetBlobMetadata", "blob?comp=metadata", READ_BLOB, handleGetBlobMetadata, GUARDED),
  ...DELETE_BLOB_ROWS,
  row("UndeleteBlob", "PUT blob?comp=undelete", onObject("w"), handleUndeleteBlob),
  row("SetBlobMetadata", "PUT blob?comp=metadata", onObject("w"), handleSetBlobMetadata, GUARDED),
  row("SetBlobProperties", "PUT blob?comp=properties", onObject("w"), handleSetBlobProperties, GUARDED),
  row("SnapshotBlob", "PUT blob?comp=snapshot", onObject("c", "w"), handleSnapshotBlob, CREATES),
  row("SetBlobExpiry", "PUT blob?comp=expiry", onObject("w"), handleSetBlobExpiry, LEASED),
  ...getAndHead("GetBlobTags", "blob?comp=tags", onObject("t"), handleGetBlobTags, BY_TAGS),
  row("SetBlobTags", "PUT blob?comp=tags", onObject("t"), handleSetBlobTags, {
    ...BY_TAGS,
    ...xml(BLOB_LIMITS.tagsBodyBytesMax),
    ...NO_CONTENT,
  }),
  SET_BLOB_TIER,
  ...leaseRows("Blob", "blob?comp=lease", onObject("w"), handleLeaseBlob, { conditions: IF_ALL }),
  row(
    "SetImmutabilityPolicy",
    "PUT blob?comp=immutabilitypolicies",
    onObject("i"),
    handleSetImmutabilityPolicy,
    { conditions: IF_UNMODIFIED },
  ),
  row(
    "DeleteImmutabilityPolicy",
    "DELETE blob?comp=immutabilitypolicies",
    onObject("i"),
    handleDeleteImmutabilityPolicy,
  ),
  row("SetLegalHold", "PUT blob?comp=legalhold", onObject("i"), handleSetLegalHold),
  row("QueryBlobContents", "POST blob?comp=query", onObject("r"), handleQueryBlobContents, {
    ...GUARDED,
    ...xml(BODY_BYTES_MAX),
    isBare: true,
    ok: [200, 206],
  }),
  ...getAndHead("GetWebsite", "website", { ...onObject(), isOpen: true }, handleGetWebsite, {
    returnsEtag: true,
    conditions: IF_FOUR,
    ok: [200, 206],
  }),
];

/** The Blob service, operation by operation. */
export const BLOB_OPERATIONS: OperationTable<BlobServices> = {
  service: "blob",
  operations: [
    ...commonOperations("blob"),
    GET_USER_DELEGATION_KEY,
    ...SERVICE_ROWS,
    ...CONTAINER_ROWS,
    ...CONTENT_ROWS,
    ...BLOB_ROWS,
  ],
  resourceOf,
  unknownOperation: "InvalidUri",
};

/**
 * A path of one segment names a container when the query has `restype` (as for its account information),
 * otherwise a blob of the root container. The path of a container may end in a slash.
 */
function resourceOf(path: string, query: Query): ResourceKind {
  if (path === "") return "service";
  const slash = path.indexOf("/");
  if (slash > 0 && slash < path.length - 1) return "blob";
  if (query.has("restype")) return "container";
  if (slash >= 0) throw new Refusal("InvalidUri");
  return "blob";
}
