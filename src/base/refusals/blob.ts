import { withCode, withStatus } from "./row.ts";

/** What only the Blob service answers, and the lease codes it shares with the File service. */
export const BLOB_REFUSALS = {
  ...withStatus(400, {
    AllBatchSubRequestsShouldBeSameApi: "The batch's subrequests should all be of the same API.",
    BlockListTooLong: "The block list may not contain more than 50,000 blocks.",
    BothUserTagsAndSourceTagsCopyPresentException:
      "x-ms-tags header value must be empty when the tag copy option is COPY.",
    ExceedsMaxBatchRequestCount: "The batch operation exceeds maximum number of allowed subrequests.",
    BothCrc64AndMd5RangeHeaderPresent:
      "Both x-ms-range-get-content-crc64 header and x-ms-range-get-content-md5 header are present.",
    InvalidBlobOrBlock: "The specified blob or block content is invalid.",
    InvalidBlobTier: "The specified blob tier is invalid.",
    InvalidBlockId: "The specified blob or block ID is invalid.",
    InvalidBlockList: "The specified block list is invalid.",
    MutuallyExclusiveQueryParameters: "Two or more of the query parameters specified are mutually exclusive.",
    InvalidOperation: "Invalid operation against a blob snapshot.",
    DuplicateTagNames: "The tags specified contain the same name more than once.",
    EmptyTagName: "The name of one of the tag key-value pairs is empty.",
    TagsTooLarge: "The tags specified exceed the maximum permissible limit.",
    InvalidTags: "The tags specified are invalid. It contains characters that are not permitted.",
    PreviousSnapshotCannotBeNewer:
      "The prevsnapshot query parameter value cannot be newer than snapshot query parameter value.",
    UnsatisfiableCondition: "The request includes an unsatisfiable condition for this operation.",
  }),
  ...withStatus(403, {
    OperationNotAllowedOnRootBlob: "The specified operation is not allowed on root blob.",
    RequestForbiddenByContainerEncryptionPolicy:
      "The encryption scope of the request is not the one the container demands.",
    UnauthorizedBlobOverwrite: "This request is not authorized to perform blob overwrites.",
  }),
  ...withStatus(404, {
    BlobNotFound: "The specified blob does not exist.",
    ContainerNotFound: "The specified container does not exist.",
    WebContentNotFound: "The requested content does not exist.",
  }),
  ...withStatus(409, {
    BlobAlreadyExists: "The specified blob already exists.",
    BlobArchived: "This operation is not permitted on an archived blob.",
    BlobBeingRehydrated: "This operation is not permitted because the blob is being rehydrated.",
    ContainerBeingDeleted: "The specified container is being deleted. Try operation later.",
    BlobImmutableDueToLegalHold:
      "This operation is not permitted as the blob is immutable due to a legal hold.",
    BlobImmutableDueToPolicy: "This operation is not permitted as the blob is immutable due to a policy.",
    BlobIsSealed: "The blob is sealed and its contents cannot be modified.",
    BlobOverwritten: "The blob has been recreated since the previous snapshot was taken.",
    BlobUsesCustomerSpecifiedEncryption:
      "The blob is encrypted with customer specified encryption, but it was not provided in the request.",
    BlockCountExceedsLimit: "The committed block count cannot exceed the maximum limit of 50,000 blocks.",
    CannotChangeToLowerTier: "A higher blob tier has already been explicitly set.",
    CopyIdMismatch: "The specified copy ID did not match the copy ID for the pending copy operation.",
    ContainerAlreadyExists: "The specified container already exists.",
    ContainerImmutableStorageWithVersioningEnabled:
      "The requested operation is not allowed as the container has a immutable storage with versioning enabled.",
    // Ours: no recorded answer shows what the service says here.
    ContainerImmutableStorageWithVersioningNotEnabled:
      "Immutability policies and legal holds need a container with version-level immutability: start the server with --versionLevelImmutability before the container is created, or run holdfast enable-immutability.",
    BlobDoesNotUseCustomerSpecifiedEncryption:
      "The blob is not encrypted with customer specified encryption.",
    BlobCustomerSpecifiedEncryptionMismatch:
      "The given customer specified encryption does not match the encryption used to encrypt the blob.",
    IncrementalCopyBlobMismatch:
      "The specified source blob is different than the copy source of the existing incremental copy blob.",
    IncrementalCopyOfEarlierSnapshotNotAllowed:
      "The specified snapshot is earlier than the last snapshot copied into the incremental copy blob.",
    IncrementalCopySourceMustBeSnapshot: "The source for incremental copy request must be a snapshot.",
    InvalidBlobType: "The blob type is invalid for this operation.",
    InvalidSourceBlobType: "The copy source blob type is invalid for this operation.",
    InvalidSourceBlobUrl: "The source URL for incremental copy request must be valid.",
    LeaseAlreadyPresent: "There is already a lease present.",
    LeaseIdMismatchWithLeaseOperation:
      "The lease ID specified did not match the lease ID for the {resource}.",
    LeaseIsBreakingAndCannotBeAcquired:
      "The lease ID matched, but the lease is currently in breaking state and cannot be acquired until it is broken.",
    LeaseIsBreakingAndCannotBeChanged:
      "The lease ID matched, but the lease is currently in breaking state and cannot be changed.",
    LeaseIsBrokenAndCannotBeRenewed:
      "The lease ID matched, but the lease has been broken explicitly and cannot be renewed.",
    LeaseNotPresentWithLeaseOperation: "There is currently no lease on the {resource}.",
    NoPendingCopyOperation: "There is currently no pending copy operation.",
    OperationNotAllowedOnIncrementalCopyBlob:
      "The specified operation is not allowed on an incremental copy blob.",
    PendingCopyOperation: "There is currently a pending copy operation.",
    PreviousSnapshotNotFound: "The previous snapshot is not found.",
    SequenceNumberIncrementTooLarge:
      "The sequence number increment cannot be performed because it would result in overflow of the sequence number.",
    SnapshotsPresent: "This operation is not permitted because the blob has snapshots.",
  }),
  ...withStatus(412, {
    AppendPositionConditionNotMet: "The append position condition specified was not met.",
    InfiniteLeaseDurationRequired:
      "The lease ID matched, but the specified lease must be an infinite-duration lease.",
    LeaseIdMismatchWithBlobOperation: "The lease ID specified did not match the lease ID for the blob.",
    LeaseIdMismatchWithContainerOperation:
      "The lease ID specified did not match the lease ID for the container.",
    LeaseIdMissing:
      "There is currently a lease on the {resource} and no lease ID was specified in the request.",
    LeaseLost: "A lease ID was specified, but the lease for the {resource} has expired.",
    LeaseNotPresentWithBlobOperation: "There is currently no lease on the blob.",
    LeaseNotPresentWithContainerOperation: "There is currently no lease on the container.",
    MaxBlobSizeConditionNotMet: "The max blob size condition specified was not met.",
    SequenceNumberConditionNotMet: "The sequence number condition specified was not met.",
    SourceConditionNotMet: "The source condition specified using HTTP conditional header(s) is not met.",
    TargetConditionNotMet: "The target condition specified using HTTP conditional header(s) is not met.",
  }),
  InvalidPageRange: { http: 416, text: "The page range specified is invalid." },
  /** The reply repeats the status of the source, so this code has several rows (below). */
  CannotVerifyCopySource: { http: 500, text: "Could not verify the copy source within the specified time." },
  UncommittedBlockCountExceedsLimit: {
    http: 409,
    code: "BlockCountExceedsLimit",
    text: "The uncommitted block count cannot exceed the maximum limit of 100,000 blocks.",
  },
  DeletedContainerNotFound: {
    http: 404,
    code: "ContainerNotFound",
    text: "There is no deleted container of this name and version that could be restored.",
  },
  PermanentDeleteNotAllowed: {
    http: 409,
    code: "OperationNotAllowed",
    text: "Permanent delete is for soft-deleted snapshots and versions, where the account allows it.",
  },
  WebsiteNotEnabled: { http: 404, code: "WebContentNotFound", text: "The account has no static website." },
  /** A conditional read of a resource that has not changed. */
  NotModified: {
    http: 304,
    code: "ConditionNotMet",
    text: "The condition specified using HTTP conditional header(s) is not met.",
  },
  ...withCode("CannotVerifyCopySource", {
    CopySourceNotModified: {
      http: 304,
      text: "The condition specified using HTTP conditional header(s) is not met.",
    },
    CopySourceBadRequest: {
      http: 400,
      text: "The copy source could not be read: the request for it was not valid.",
    },
    CopySourceUnauthenticated: {
      http: 401,
      text: "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.",
    },
    CopySourceForbidden: {
      http: 403,
      text: "Server failed to authenticate the request to the copy source. Make sure its signature is formed correctly.",
    },
    CopySourceNotAllowed: {
      http: 403,
      text: "This server does not fetch copy sources from that address. Its operator can allow it with --copySources.",
    },
    CopySourceNotFound: { http: 404, text: "The specified copy source does not exist." },
    CopySourceConflict: { http: 409, text: "The copy source is in a state in which it cannot be read." },
    CopySourcePreconditionFailed: {
      http: 412,
      text: "The condition specified using HTTP conditional header(s) is not met.",
    },
    CopySourceBadRange: {
      http: 416,
      text: "The range specified is invalid for the current size of the copy source.",
    },
    CopySourceTooLarge: {
      http: 409,
      text: "The source of a synchronous copy may not be larger than 256 MiB.",
    },
  }),
} as const;
