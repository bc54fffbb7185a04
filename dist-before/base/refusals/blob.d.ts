/** What only the Blob service answers, and the lease codes it shares with the File service. */
export declare const BLOB_REFUSALS: {
    readonly AppendPositionConditionNotMet: {
        readonly http: 412;
        readonly text: "The append position condition specified was not met.";
    };
    readonly BlobAlreadyExists: {
        readonly http: 409;
        readonly text: "The specified blob already exists.";
    };
    readonly BlobArchived: {
        readonly http: 409;
        readonly text: "This operation is not permitted on an archived blob.";
    };
    readonly BlobBeingRehydrated: {
        readonly http: 409;
        readonly text: "This operation is not permitted because the blob is being rehydrated.";
    };
    readonly BlobImmutableDueToLegalHold: {
        readonly http: 409;
        readonly text: "This operation is not permitted as the blob is immutable due to a legal hold.";
    };
    readonly BlobImmutableDueToPolicy: {
        readonly http: 409;
        readonly text: "This operation is not permitted as the blob is immutable due to a policy.";
    };
    readonly BlobIsSealed: {
        readonly http: 409;
        readonly text: "The specified blob is sealed and its contents can't be modified unless the blob is re-created after a delete.";
    };
    readonly BlobNotArchived: {
        readonly http: 409;
        readonly text: "This operation is not permitted on a blob that is not archived.";
    };
    readonly BlobNotFound: {
        readonly http: 404;
        readonly text: "The specified blob does not exist.";
    };
    readonly BlobOverwritten: {
        readonly http: 409;
        readonly text: "The blob has been recreated since the previous snapshot was taken.";
    };
    readonly BlobTierInadequateForContentLength: {
        readonly http: 409;
        readonly text: "Specified blob tier size limit cannot be less than content length.";
    };
    readonly BlobUsesCustomerSpecifiedEncryption: {
        readonly http: 409;
        readonly text: "The blob is encrypted with customer specified encryption, but it was not provided in the request.";
    };
    readonly BlockCountExceedsLimit: {
        readonly http: 409;
        readonly text: "The committed block count cannot exceed the maximum limit of 50,000 blocks.";
    };
    readonly UncommittedBlockCountExceedsLimit: {
        readonly http: 409;
        readonly code: "BlockCountExceedsLimit";
        readonly text: "The uncommitted block count cannot exceed the maximum limit of 100,000 blocks.";
    };
    readonly BlockListTooLong: {
        readonly http: 400;
        readonly text: "The block list may not contain more than 50,000 blocks.";
    };
    readonly BothUserTagsAndSourceTagsCopyPresentException: {
        readonly http: 400;
        readonly text: "x-ms-tags header value must be empty when the tag copy option is COPY.";
    };
    readonly CannotChangeToLowerTier: {
        readonly http: 409;
        readonly text: "A higher blob tier has already been explicitly set.";
    };
    /** The status of the read of the source is the status of the answer, so one code has many rows. */
    readonly CannotVerifyCopySource: {
        readonly http: 500;
        readonly text: "Could not verify the copy source within the specified time.";
    };
    readonly CopySourceNotModified: {
        readonly http: 304;
        readonly code: "CannotVerifyCopySource";
        readonly text: "The condition specified using HTTP conditional header(s) is not met.";
    };
    readonly CopySourceBadRequest: {
        readonly http: 400;
        readonly code: "CannotVerifyCopySource";
        readonly text: "The copy source could not be read: the request for it was not valid.";
    };
    readonly CopySourceUnauthenticated: {
        readonly http: 401;
        readonly code: "CannotVerifyCopySource";
        readonly text: "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.";
    };
    readonly CopySourceForbidden: {
        readonly http: 403;
        readonly code: "CannotVerifyCopySource";
        readonly text: "Server failed to authenticate the request to the copy source. Make sure its signature is formed correctly.";
    };
    readonly CopySourceNotFound: {
        readonly http: 404;
        readonly code: "CannotVerifyCopySource";
        readonly text: "The specified copy source does not exist.";
    };
    readonly CopySourceConflict: {
        readonly http: 409;
        readonly code: "CannotVerifyCopySource";
        readonly text: "The copy source is in a state in which it cannot be read.";
    };
    readonly CopySourcePreconditionFailed: {
        readonly http: 412;
        readonly code: "CannotVerifyCopySource";
        readonly text: "The condition specified using HTTP conditional header(s) is not met.";
    };
    readonly CopySourceBadRange: {
        readonly http: 416;
        readonly code: "CannotVerifyCopySource";
        readonly text: "The range specified is invalid for the current size of the copy source.";
    };
    readonly CopyAcrossAccountsNotSupported: {
        readonly http: 400;
        readonly text: "The copy source account and destination account differ.";
    };
    readonly CopyIdMismatch: {
        readonly http: 409;
        readonly text: "The specified copy ID did not match the copy ID for the pending copy operation.";
    };
    readonly CopySourceTooLarge: {
        readonly http: 409;
        readonly code: "CannotVerifyCopySource";
        readonly text: "The source of a synchronous copy may not be larger than 256 MiB.";
    };
    readonly ContainerAlreadyExists: {
        readonly http: 409;
        readonly text: "The specified container already exists.";
    };
    readonly ContainerBeingDeleted: {
        readonly http: 409;
        readonly text: "The specified container is being deleted. Try operation later.";
    };
    readonly ContainerDisabled: {
        readonly http: 409;
        readonly text: "The specified container has been disabled by the administrator.";
    };
    readonly ContainerNotFound: {
        readonly http: 404;
        readonly text: "The specified container does not exist.";
    };
    readonly DeletedContainerNotFound: {
        readonly http: 404;
        readonly code: "ContainerNotFound";
        readonly text: "There is no deleted container of this name and version that could be restored.";
    };
    readonly BlobDoesNotUseCustomerSpecifiedEncryption: {
        readonly http: 409;
        readonly text: "The blob is not encrypted with customer specified encryption.";
    };
    readonly BlobCustomerSpecifiedEncryptionMismatch: {
        readonly http: 409;
        readonly text: "The given customer specified encryption does not match the encryption used to encrypt the blob.";
    };
    readonly IncrementalCopyBlobMismatch: {
        readonly http: 409;
        readonly text: "The specified source blob is different than the copy source of the existing incremental copy blob.";
    };
    readonly IncrementalCopyOfEarlierSnapshotNotAllowed: {
        readonly http: 409;
        readonly text: "The specified snapshot is earlier than the last snapshot copied into the incremental copy blob.";
    };
    readonly IncrementalCopySourceMustBeSnapshot: {
        readonly http: 409;
        readonly text: "The source for incremental copy request must be a snapshot.";
    };
    readonly InfiniteLeaseDurationRequired: {
        readonly http: 412;
        readonly text: "The lease ID matched, but the specified lease must be an infinite-duration lease.";
    };
    readonly InvalidBlobOrBlock: {
        readonly http: 400;
        readonly text: "The specified blob or block content is invalid.";
    };
    readonly InvalidBlobTier: {
        readonly http: 400;
        readonly text: "The specified blob tier is invalid.";
    };
    readonly InvalidBlobType: {
        readonly http: 409;
        readonly text: "The blob type is invalid for this operation.";
    };
    readonly InvalidBlockId: {
        readonly http: 400;
        readonly text: "The specified blob or block ID is invalid.";
    };
    readonly InvalidBlockList: {
        readonly http: 400;
        readonly text: "The specified block list is invalid.";
    };
    readonly InvalidOperation: {
        readonly http: 400;
        readonly text: "Invalid operation against a blob snapshot.";
    };
    readonly InvalidPageRange: {
        readonly http: 416;
        readonly text: "The page range specified is invalid.";
    };
    readonly InvalidSourceBlobType: {
        readonly http: 409;
        readonly text: "The copy source blob type is invalid for this operation.";
    };
    readonly InvalidSourceBlobUrl: {
        readonly http: 409;
        readonly text: "The source URL for incremental copy request must be valid.";
    };
    readonly InvalidTags: {
        readonly http: 400;
        readonly text: "The tags specified are invalid. They have characters, lengths or numbers that are not permitted.";
    };
    readonly InvalidVersionForPageBlobOperation: {
        readonly http: 409;
        readonly text: "All operations on page blobs require at least version 2009-09-19.";
    };
    readonly LeaseAlreadyPresent: {
        readonly http: 409;
        readonly text: "There is already a lease present.";
    };
    readonly LeaseIdMismatchWithBlobOperation: {
        readonly http: 412;
        readonly text: "The lease ID specified did not match the lease ID for the blob.";
    };
    readonly LeaseIdMismatchWithContainerOperation: {
        readonly http: 412;
        readonly text: "The lease ID specified did not match the lease ID for the container.";
    };
    readonly LeaseIdMismatchWithLeaseOperation: {
        readonly http: 409;
        readonly text: "The lease ID specified did not match the lease ID for the blob/container.";
    };
    readonly LeaseIdMissing: {
        readonly http: 412;
        readonly text: "There is currently a lease on the resource and no lease ID was specified in the request.";
    };
    readonly LeaseIsBreakingAndCannotBeAcquired: {
        readonly http: 409;
        readonly text: "The lease ID matched, but the lease is currently in breaking state and cannot be acquired until it is broken.";
    };
    readonly LeaseIsBreakingAndCannotBeChanged: {
        readonly http: 409;
        readonly text: "The lease ID matched, but the lease is currently in breaking state and cannot be changed.";
    };
    readonly LeaseIsBrokenAndCannotBeRenewed: {
        readonly http: 409;
        readonly text: "The lease ID matched, but the lease has been broken explicitly and cannot be renewed.";
    };
    readonly LeaseLost: {
        readonly http: 412;
        readonly text: "A lease ID was specified, but the lease for the resource has expired.";
    };
    readonly LeaseNotPresentWithBlobOperation: {
        readonly http: 412;
        readonly text: "There is currently no lease on the blob.";
    };
    readonly LeaseNotPresentWithContainerOperation: {
        readonly http: 412;
        readonly text: "There is currently no lease on the container.";
    };
    readonly LeaseNotPresentWithLeaseOperation: {
        readonly http: 409;
        readonly text: "There is currently no lease on the blob/container.";
    };
    readonly MaxBlobSizeConditionNotMet: {
        readonly http: 412;
        readonly text: "The max blob size condition specified was not met.";
    };
    readonly NoPendingCopyOperation: {
        readonly http: 409;
        readonly text: "There is currently no pending copy operation.";
    };
    readonly OperationNotAllowedOnIncrementalCopyBlob: {
        readonly http: 409;
        readonly text: "The specified operation is not allowed on an incremental copy blob.";
    };
    readonly PendingCopyOperation: {
        readonly http: 409;
        readonly text: "There is currently a pending copy operation.";
    };
    readonly PermanentDeleteNotAllowed: {
        readonly http: 409;
        readonly code: "OperationNotAllowed";
        readonly text: "Permanent delete is for soft-deleted snapshots and versions, where the account allows it.";
    };
    readonly PreviousSnapshotCannotBeNewer: {
        readonly http: 400;
        readonly text: "The prevsnapshot query parameter value cannot be newer than snapshot query parameter value.";
    };
    readonly PreviousSnapshotNotFound: {
        readonly http: 409;
        readonly text: "The previous snapshot is not found.";
    };
    readonly PreviousSnapshotOperationNotSupported: {
        readonly http: 409;
        readonly text: "Differential Get Page Ranges is not supported on the previous snapshot.";
    };
    readonly RequestForbiddenByContainerEncryptionPolicy: {
        readonly http: 403;
        readonly text: "The encryption scope of the request is not the one the container demands.";
    };
    readonly SequenceNumberConditionNotMet: {
        readonly http: 412;
        readonly text: "The sequence number condition specified was not met.";
    };
    readonly SequenceNumberIncrementTooLarge: {
        readonly http: 409;
        readonly text: "The sequence number increment cannot be performed because it would result in overflow of the sequence number.";
    };
    readonly SnapshotsPresent: {
        readonly http: 409;
        readonly text: "This operation is not permitted while the blob has snapshots.";
    };
    readonly SourceConditionNotMet: {
        readonly http: 412;
        readonly text: "The source condition specified using HTTP conditional header(s) is not met.";
    };
    readonly SystemInUse: {
        readonly http: 409;
        readonly text: "This blob is in use by the system.";
    };
    readonly TargetConditionNotMet: {
        readonly http: 412;
        readonly text: "The target condition specified using HTTP conditional header(s) is not met.";
    };
    readonly UnauthorizedBlobOverwrite: {
        readonly http: 403;
        readonly text: "This request is not authorized to perform blob overwrites.";
    };
    readonly UnsatisfiableCondition: {
        readonly http: 400;
        readonly text: "The request includes an unsatisfiable condition for this operation.";
    };
    readonly WebContentNotFound: {
        readonly http: 404;
        readonly text: "The requested content does not exist.";
    };
    readonly WebsiteNotEnabled: {
        readonly http: 404;
        readonly code: "WebContentNotFound";
        readonly text: "The account has no static website.";
    };
    /** A read's condition that asks for news, and there are none. */
    readonly NotModified: {
        readonly http: 304;
        readonly code: "ConditionNotMet";
        readonly text: "The condition specified using HTTP conditional header(s) is not met.";
    };
};
