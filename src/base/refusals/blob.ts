/** What only the Blob service answers, and the lease codes it shares with the File service. */
export const BLOB_REFUSALS = {
  AllBatchSubRequestsShouldBeSameApi: {
    http: 400,
    text: "The batch's subrequests should all be of the same API.",
  },
  AppendPositionConditionNotMet: {
    http: 412,
    text: "The append position condition specified was not met.",
  },
  BlobAlreadyExists: { http: 409, text: "The specified blob already exists." },
  BlobArchived: { http: 409, text: "This operation is not permitted on an archived blob." },
  BlobBeingRehydrated: {
    http: 409,
    text: "This operation is not permitted because the blob is being rehydrated.",
  },
  BlobImmutableDueToLegalHold: {
    http: 409,
    text: "This operation is not permitted as the blob is immutable due to a legal hold.",
  },
  BlobImmutableDueToPolicy: {
    http: 409,
    text: "This operation is not permitted as the blob is immutable due to a policy.",
  },
  BlobIsSealed: {
    http: 409,
    text: "The specified blob is sealed and its contents can't be modified unless the blob is re-created after a delete.",
  },
  BlobNotArchived: { http: 409, text: "This operation is not permitted on a blob that is not archived." },
  BlobNotFound: { http: 404, text: "The specified blob does not exist." },
  BlobOverwritten: { http: 409, text: "The blob has been recreated since the previous snapshot was taken." },
  BlobTierInadequateForContentLength: {
    http: 409,
    text: "Specified blob tier size limit cannot be less than content length.",
  },
  BlobUsesCustomerSpecifiedEncryption: {
    http: 409,
    text: "The blob is encrypted with customer specified encryption, but it was not provided in the request.",
  },
  BlockCountExceedsLimit: {
    http: 409,
    text: "The committed block count cannot exceed the maximum limit of 50,000 blocks.",
  },
  UncommittedBlockCountExceedsLimit: {
    http: 409,
    code: "BlockCountExceedsLimit",
    text: "The uncommitted block count cannot exceed the maximum limit of 100,000 blocks.",
  },
  BlockListTooLong: {
    http: 400,
    text: "The block list may not contain more than 50,000 blocks.",
  },
  BothUserTagsAndSourceTagsCopyPresentException: {
    http: 400,
    text: "x-ms-tags header value must be empty when the tag copy option is COPY.",
  },
  CannotChangeToLowerTier: { http: 409, text: "A higher blob tier has already been explicitly set." },
  /** The status of the read of the source is the status of the answer, so one code has many rows. */
  CannotVerifyCopySource: { http: 500, text: "Could not verify the copy source within the specified time." },
  CopySourceNotModified: {
    http: 304,
    code: "CannotVerifyCopySource",
    text: "The condition specified using HTTP conditional header(s) is not met.",
  },
  CopySourceBadRequest: {
    http: 400,
    code: "CannotVerifyCopySource",
    text: "The copy source could not be read: the request for it was not valid.",
  },
  CopySourceUnauthenticated: {
    http: 401,
    code: "CannotVerifyCopySource",
    text: "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.",
  },
  CopySourceForbidden: {
    http: 403,
    code: "CannotVerifyCopySource",
    text: "Server failed to authenticate the request to the copy source. Make sure its signature is formed correctly.",
  },
  CopySourceNotAllowed: {
    http: 403,
    code: "CannotVerifyCopySource",
    text: "This server does not fetch copy sources from that address. Its operator can allow it with --copySources.",
  },
  CopySourceNotFound: {
    http: 404,
    code: "CannotVerifyCopySource",
    text: "The specified copy source does not exist.",
  },
  CopySourceConflict: {
    http: 409,
    code: "CannotVerifyCopySource",
    text: "The copy source is in a state in which it cannot be read.",
  },
  CopySourcePreconditionFailed: {
    http: 412,
    code: "CannotVerifyCopySource",
    text: "The condition specified using HTTP conditional header(s) is not met.",
  },
  CopySourceBadRange: {
    http: 416,
    code: "CannotVerifyCopySource",
    text: "The range specified is invalid for the current size of the copy source.",
  },
  CopyAcrossAccountsNotSupported: {
    http: 400,
    text: "The copy source account and destination account differ.",
  },
  ExceedsMaxBatchRequestCount: {
    http: 400,
    text: "The batch operation exceeds maximum number of allowed subrequests.",
  },
  CopyIdMismatch: {
    http: 409,
    text: "The specified copy ID did not match the copy ID for the pending copy operation.",
  },
  CopySourceTooLarge: {
    http: 409,
    code: "CannotVerifyCopySource",
    text: "The source of a synchronous copy may not be larger than 256 MiB.",
  },
  ContainerAlreadyExists: { http: 409, text: "The specified container already exists." },
  ContainerBeingDeleted: {
    http: 409,
    text: "The specified container is being deleted. Try operation later.",
  },
  ContainerDisabled: { http: 409, text: "The specified container has been disabled by the administrator." },
  ContainerImmutableStorageWithVersioningEnabled: {
    http: 409,
    text: "The requested operation is not allowed as the container has a immutable storage with versioning enabled.",
  },
  // Ours: no recorded answer shows what the service says here.
  ContainerImmutableStorageWithVersioningNotEnabled: {
    http: 409,
    text: "Immutability policies and legal holds need a container with version-level immutability: start the server with --versionLevelImmutability before the container is created, or run holdfast enable-immutability.",
  },
  ContainerNotFound: { http: 404, text: "The specified container does not exist." },
  DeletedContainerNotFound: {
    http: 404,
    code: "ContainerNotFound",
    text: "There is no deleted container of this name and version that could be restored.",
  },
  BlobDoesNotUseCustomerSpecifiedEncryption: {
    http: 409,
    text: "The blob is not encrypted with customer specified encryption.",
  },
  BlobCustomerSpecifiedEncryptionMismatch: {
    http: 409,
    text: "The given customer specified encryption does not match the encryption used to encrypt the blob.",
  },
  IncrementalCopyBlobMismatch: {
    http: 409,
    text: "The specified source blob is different than the copy source of the existing incremental copy blob.",
  },
  IncrementalCopyOfEarlierSnapshotNotAllowed: {
    http: 409,
    text: "The specified snapshot is earlier than the last snapshot copied into the incremental copy blob.",
  },
  IncrementalCopySourceMustBeSnapshot: {
    http: 409,
    text: "The source for incremental copy request must be a snapshot.",
  },
  InfiniteLeaseDurationRequired: {
    http: 412,
    text: "The lease ID matched, but the specified lease must be an infinite-duration lease.",
  },
  InvalidBlobOrBlock: { http: 400, text: "The specified blob or block content is invalid." },
  InvalidBlobTier: { http: 400, text: "The specified blob tier is invalid." },
  InvalidBlobType: { http: 409, text: "The blob type is invalid for this operation." },
  InvalidBlockId: { http: 400, text: "The specified blob or block ID is invalid." },
  InvalidBlockList: { http: 400, text: "The specified block list is invalid." },
  InvalidOperation: { http: 400, text: "Invalid operation against a blob snapshot." },
  InvalidPageRange: { http: 416, text: "The page range specified is invalid." },
  InvalidSourceBlobType: { http: 409, text: "The copy source blob type is invalid for this operation." },
  InvalidSourceBlobUrl: { http: 409, text: "The source URL for incremental copy request must be valid." },
  DuplicateTagNames: { http: 400, text: "The tags specified contain the same name more than once." },
  EmptyTagName: { http: 400, text: "The name of one of the tag key-value pairs is empty." },
  TagsTooLarge: { http: 400, text: "The tags specified exceed the maximum permissible limit." },
  InvalidTags: {
    http: 400,
    text: "The tags specified are invalid. It contains characters that are not permitted.",
  },
  InvalidVersionForPageBlobOperation: {
    http: 409,
    text: "All operations on page blobs require at least version 2009-09-19.",
  },
  LeaseAlreadyPresent: { http: 409, text: "There is already a lease present." },
  LeaseIdMismatchWithBlobOperation: {
    http: 412,
    text: "The lease ID specified did not match the lease ID for the blob.",
  },
  LeaseIdMismatchWithContainerOperation: {
    http: 412,
    text: "The lease ID specified did not match the lease ID for the container.",
  },
  LeaseIdMismatchWithLeaseOperation: {
    http: 409,
    text: "The lease ID specified did not match the lease ID for the {resource}.",
  },
  LeaseIdMissing: {
    http: 412,
    text: "There is currently a lease on the {resource} and no lease ID was specified in the request.",
  },
  LeaseIsBreakingAndCannotBeAcquired: {
    http: 409,
    text: "The lease ID matched, but the lease is currently in breaking state and cannot be acquired until it is broken.",
  },
  LeaseIsBreakingAndCannotBeChanged: {
    http: 409,
    text: "The lease ID matched, but the lease is currently in breaking state and cannot be changed.",
  },
  LeaseIsBrokenAndCannotBeRenewed: {
    http: 409,
    text: "The lease ID matched, but the lease has been broken explicitly and cannot be renewed.",
  },
  LeaseLost: { http: 412, text: "A lease ID was specified, but the lease for the {resource} has expired." },
  LeaseNotPresentWithBlobOperation: { http: 412, text: "There is currently no lease on the blob." },
  LeaseNotPresentWithContainerOperation: { http: 412, text: "There is currently no lease on the container." },
  LeaseNotPresentWithLeaseOperation: {
    http: 409,
    text: "There is currently no lease on the {resource}.",
  },
  MaxBlobSizeConditionNotMet: { http: 412, text: "The max blob size condition specified was not met." },
  NoPendingCopyOperation: { http: 409, text: "There is currently no pending copy operation." },
  OperationNotAllowedOnIncrementalCopyBlob: {
    http: 409,
    text: "The specified operation is not allowed on an incremental copy blob.",
  },
  OperationNotAllowedOnRootBlob: {
    http: 403,
    text: "The specified operation is not allowed on root blob.",
  },
  PendingCopyOperation: { http: 409, text: "There is currently a pending copy operation." },
  PermanentDeleteNotAllowed: {
    http: 409,
    code: "OperationNotAllowed",
    text: "Permanent delete is for soft-deleted snapshots and versions, where the account allows it.",
  },
  PreviousSnapshotCannotBeNewer: {
    http: 400,
    text: "The prevsnapshot query parameter value cannot be newer than snapshot query parameter value.",
  },
  PreviousSnapshotNotFound: { http: 409, text: "The previous snapshot is not found." },
  PreviousSnapshotOperationNotSupported: {
    http: 409,
    text: "Differential Get Page Ranges is not supported on the previous snapshot.",
  },
  RequestForbiddenByContainerEncryptionPolicy: {
    http: 403,
    text: "The encryption scope of the request is not the one the container demands.",
  },
  SequenceNumberConditionNotMet: {
    http: 412,
    text: "The sequence number condition specified was not met.",
  },
  SequenceNumberIncrementTooLarge: {
    http: 409,
    text: "The sequence number increment cannot be performed because it would result in overflow of the sequence number.",
  },
  SnapshotsPresent: {
    http: 409,
    text: "This operation is not permitted while the blob has snapshots.",
  },
  SourceConditionNotMet: {
    http: 412,
    text: "The source condition specified using HTTP conditional header(s) is not met.",
  },
  SystemInUse: { http: 409, text: "This blob is in use by the system." },
  TargetConditionNotMet: {
    http: 412,
    text: "The target condition specified using HTTP conditional header(s) is not met.",
  },
  UnauthorizedBlobOverwrite: {
    http: 403,
    text: "This request is not authorized to perform blob overwrites.",
  },
  UnsatisfiableCondition: {
    http: 400,
    text: "The request includes an unsatisfiable condition for this operation.",
  },
  WebContentNotFound: { http: 404, text: "The requested content does not exist." },
  WebsiteNotEnabled: {
    http: 404,
    code: "WebContentNotFound",
    text: "The account has no static website.",
  },
  /** A read's condition that asks for news, and there are none. */
  NotModified: {
    http: 304,
    code: "ConditionNotMet",
    text: "The condition specified using HTTP conditional header(s) is not met.",
  },
} as const;
