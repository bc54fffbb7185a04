/**
 * The catalogue: every expected "no" is a row here. Rules return its name, services throw `Refusal`, the front
 * ends print the row in their protocol. `code` stands where two rows share one code on the wire.
 */
export interface RefusalRow {
    readonly http: number;
    readonly text: string;
    readonly smb?: number;
    readonly code?: string;
}
export declare const REFUSALS: {
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
    readonly NotModified: {
        readonly http: 304;
        readonly code: "ConditionNotMet";
        readonly text: "The condition specified using HTTP conditional header(s) is not met.";
    };
    readonly AccountIsDisabled: {
        readonly http: 403;
        readonly text: "The specified account is disabled.";
    };
    readonly AuthenticationFailed: {
        readonly http: 403;
        readonly smb: 3221225581;
        readonly text: "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.";
    };
    readonly AuthorizationFailure: {
        readonly http: 403;
        readonly text: "This request is not authorized to perform this operation.";
    };
    readonly AuthorizationPermissionMismatch: {
        readonly http: 403;
        readonly smb: 3221225506;
        readonly text: "This request is not authorized to perform this operation using this permission.";
    };
    readonly AuthorizationProtocolMismatch: {
        readonly http: 403;
        readonly text: "This request is not authorized to perform this operation using this protocol.";
    };
    readonly AuthorizationResourceTypeMismatch: {
        readonly http: 403;
        readonly text: "This request is not authorized to perform this operation using this resource type.";
    };
    readonly AuthorizationServiceMismatch: {
        readonly http: 403;
        readonly text: "This request is not authorized to perform this operation using this service.";
    };
    readonly AuthorizationSourceIPMismatch: {
        readonly http: 403;
        readonly text: "This request is not authorized to perform this operation using this source IP.";
    };
    readonly BothCrc64AndMd5HeaderPresent: {
        readonly http: 400;
        readonly text: "Both x-ms-content-crc64 header and Content-MD5 header are present.";
    };
    readonly ConditionHeadersNotSupported: {
        readonly http: 400;
        readonly text: "Condition headers are not supported.";
    };
    readonly ConditionNotMet: {
        readonly http: 412;
        readonly text: "The condition specified using HTTP conditional header(s) is not met.";
    };
    readonly CorsPreflightFailure: {
        readonly http: 403;
        readonly text: "CORS not enabled or no matching rule found for this request.";
    };
    readonly Crc64Mismatch: {
        readonly http: 400;
        readonly text: "The CRC64 value specified in the request did not match with the CRC64 value calculated by the server.";
    };
    readonly EmptyMetadataKey: {
        readonly http: 400;
        readonly text: "The key for one of the metadata key-value pairs is empty.";
    };
    readonly FeatureVersionMismatch: {
        readonly http: 409;
        readonly text: "The operation cannot be performed because of a version mismatch of a feature.";
    };
    readonly InsufficientAccountPermissions: {
        readonly http: 403;
        readonly text: "The account being accessed does not have sufficient permissions to execute this operation.";
    };
    readonly InternalError: {
        readonly http: 500;
        readonly smb: 3221225701;
        readonly text: "Server encountered an internal error. Please try again after some time.";
    };
    readonly InvalidAuthenticationInfo: {
        readonly http: 400;
        readonly text: "Authentication information is not given in the correct format. Check the value of Authorization header.";
    };
    readonly InvalidBearerToken: {
        readonly http: 401;
        readonly code: "InvalidAuthenticationInfo";
        readonly text: "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.";
    };
    readonly InvalidHeaderValue: {
        readonly http: 400;
        readonly text: "The value for one of the HTTP headers is not in the correct format.";
    };
    readonly InvalidInput: {
        readonly http: 400;
        readonly text: "One of the request inputs is not valid.";
    };
    readonly InvalidMd5: {
        readonly http: 400;
        readonly text: "The MD5 value specified in the request is invalid. MD5 value must be 128 bits and base64 encoded.";
    };
    readonly InvalidMetadata: {
        readonly http: 400;
        readonly text: "The metadata specified is invalid. It has characters that are not permitted.";
    };
    readonly InvalidQueryParameterValue: {
        readonly http: 400;
        readonly text: "Value for one of the query parameters specified in the request URI is invalid.";
    };
    readonly InvalidRange: {
        readonly http: 416;
        readonly text: "The range specified is invalid for the current size of the resource.";
    };
    readonly InvalidResourceName: {
        readonly http: 400;
        readonly text: "The specified resource name contains invalid characters.";
    };
    readonly InvalidUri: {
        readonly http: 400;
        readonly text: "The requested URI does not represent any resource on the server.";
    };
    readonly InvalidXmlDocument: {
        readonly http: 400;
        readonly text: "XML specified is not syntactically valid.";
    };
    readonly InvalidXmlNodeValue: {
        readonly http: 400;
        readonly text: "The value for one of the XML nodes is not in the correct format.";
    };
    readonly Md5Mismatch: {
        readonly http: 400;
        readonly text: "The MD5 value specified in the request did not match with the MD5 value calculated by the server.";
    };
    readonly MetadataTooLarge: {
        readonly http: 400;
        readonly text: "The size of the specified metadata exceeds the maximum size permitted.";
    };
    readonly MissingContentLengthHeader: {
        readonly http: 411;
        readonly text: "The Content-Length header was not specified.";
    };
    readonly MissingRequiredHeader: {
        readonly http: 400;
        readonly text: "An HTTP header that's mandatory for this request is not specified.";
    };
    readonly MissingRequiredQueryParameter: {
        readonly http: 400;
        readonly text: "A query parameter that's mandatory for this request is not specified.";
    };
    readonly MissingRequiredXmlNode: {
        readonly http: 400;
        readonly text: "A required XML node was not specified in the request body.";
    };
    readonly MultipleConditionHeadersNotSupported: {
        readonly http: 400;
        readonly text: "Multiple condition headers are not supported.";
    };
    readonly NoAuthenticationInformation: {
        readonly http: 401;
        readonly text: "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.";
    };
    readonly OperationTimedOut: {
        readonly http: 500;
        readonly text: "The operation could not be completed within the permitted time.";
    };
    readonly OutOfRangeInput: {
        readonly http: 400;
        readonly text: "One of the request inputs is out of range.";
    };
    readonly OutOfRangeQueryParameterValue: {
        readonly http: 400;
        readonly text: "One of the query parameters specified in the request URI is outside the permissible range.";
    };
    readonly PublicAccessNotPermitted: {
        readonly http: 409;
        readonly text: "Public access is not permitted on this storage account.";
    };
    readonly QueryParameterSddInvalid: {
        readonly http: 403;
        readonly text: "The signed directory depth (sdd) is missing or does not fit the path of the request.";
    };
    readonly RequestBodyTooLarge: {
        readonly http: 413;
        readonly text: "The request body is too large and exceeds the maximum permissible limit.";
    };
    readonly RequestUrlFailedToParse: {
        readonly http: 400;
        readonly text: "The url in the request could not be parsed.";
    };
    readonly ResourceAlreadyExists: {
        readonly http: 409;
        readonly smb: 3221225525;
        readonly text: "The specified resource already exists.";
    };
    readonly ResourceNotFound: {
        readonly http: 404;
        readonly smb: 3221225524;
        readonly text: "The specified resource does not exist.";
    };
    readonly ResourceTypeMismatch: {
        readonly http: 409;
        readonly smb: 3221225658;
        readonly text: "The specified resource type does not match the type of the existing resource.";
    };
    readonly ServerBusy: {
        readonly http: 503;
        readonly smb: 3221225989;
        readonly text: "The server is currently unable to receive requests. Please retry your request.";
    };
    readonly UnsupportedHeader: {
        readonly http: 400;
        readonly text: "One of the HTTP headers specified in the request is not supported.";
    };
    readonly UnsupportedHttpVerb: {
        readonly http: 405;
        readonly text: "The resource doesn't support specified Http Verb.";
    };
    readonly UnsupportedQueryParameter: {
        readonly http: 400;
        readonly text: "One of the query parameters specified in the request URI is not supported.";
    };
    readonly UnsupportedXmlNode: {
        readonly http: 400;
        readonly text: "One of the XML nodes specified in the request body is not supported.";
    };
    readonly CannotDeleteFileOrDirectory: {
        readonly http: 409;
        readonly smb: 3221225761;
        readonly text: "The file or directory could not be deleted because it is in use by an SMB client.";
    };
    readonly CopySourceInvalid: {
        readonly http: 400;
        readonly code: "CannotVerifyCopySource";
        readonly text: "The copy source is not valid.";
    };
    readonly ClientCacheFlushDelay: {
        readonly http: 408;
        readonly text: "The specified resource state could not be flushed from an SMB client in the specified time.";
    };
    readonly DeleteShareWhenSnapshotLeased: {
        readonly http: 409;
        readonly text: "Unable to delete share because one or more share snapshots have active leases.";
    };
    readonly DirectoryNotEmpty: {
        readonly http: 409;
        readonly smb: 3221225729;
        readonly text: "The specified directory is not empty.";
    };
    readonly FileGenerationMismatch: {
        readonly http: 409;
        readonly text: "The file has been recreated since the previous snapshot was taken.";
    };
    readonly FileInvalidPermission: {
        readonly http: 400;
        readonly text: "The specified file permission is not valid.";
    };
    readonly FileInvalidPermissionKey: {
        readonly http: 400;
        readonly text: "The specified file permission key does not exist in the share.";
    };
    readonly FileLockConflict: {
        readonly http: 409;
        readonly smb: 3221225556;
        readonly text: "A portion of the specified file is locked by an SMB client.";
    };
    readonly InvalidFileOrDirectoryPathName: {
        readonly http: 400;
        readonly smb: 3221225523;
        readonly text: "The specified file or directory path is not valid: too long, too deep, or reserved.";
    };
    readonly LeaseIdMismatchWithShareOperation: {
        readonly http: 412;
        readonly code: "LeaseIdMismatchWithContainerOperation";
        readonly text: "The lease ID specified did not match the lease ID for the file share.";
    };
    readonly LeaseNotPresentWithShareOperation: {
        readonly http: 412;
        readonly code: "LeaseNotPresentWithContainerOperation";
        readonly text: "There is currently no lease on the file share.";
    };
    readonly LeaseIdMismatchWithFileOperation: {
        readonly http: 412;
        readonly text: "The lease ID specified did not match the lease ID for the file.";
    };
    readonly LeaseNotPresentWithFileOperation: {
        readonly http: 412;
        readonly text: "There is currently no lease on the file.";
    };
    readonly ParentNotFound: {
        readonly http: 404;
        readonly smb: 3221225530;
        readonly text: "The specified parent path does not exist.";
    };
    readonly ReadOnlyAttribute: {
        readonly http: 409;
        readonly smb: 3221225506;
        readonly text: "The specified resource is read-only and cannot be modified at this time.";
    };
    readonly ShareAlreadyExists: {
        readonly http: 409;
        readonly text: "The specified share already exists.";
    };
    readonly ShareHasSnapshots: {
        readonly http: 409;
        readonly text: "The share has snapshots and the operation requires no snapshots.";
    };
    readonly ShareNotFound: {
        readonly http: 404;
        readonly smb: 3221225676;
        readonly text: "The specified share does not exist.";
    };
    readonly ShareSizeLimitReached: {
        readonly http: 413;
        readonly smb: 3221225599;
        readonly text: "The share has reached the maximum size its quota allows.";
    };
    readonly ShareSnapshotCountExceeded: {
        readonly http: 409;
        readonly text: "The total number of snapshots for the share is over the limit.";
    };
    readonly ShareSnapshotNotFound: {
        readonly http: 404;
        readonly code: "ShareNotFound";
        readonly text: "The specified share snapshot does not exist.";
    };
    readonly ShareSnapshotOperationNotSupported: {
        readonly http: 400;
        readonly text: "The requested operation is not supported on a share snapshot.";
    };
    readonly SharingViolation: {
        readonly http: 409;
        readonly smb: 3221225539;
        readonly text: "The specified resource may be in use by an SMB client.";
    };
    readonly SMBDeletePending: {
        readonly http: 409;
        readonly smb: 3221225558;
        readonly text: "The specified resource is marked for deletion by an SMB client.";
    };
    readonly TooManyOpenHandles: {
        readonly http: 409;
        readonly smb: 3221225540;
        readonly text: "The file or directory has too many open handles.";
    };
    readonly InvalidMarker: {
        readonly http: 400;
        readonly text: "The specified marker is invalid.";
    };
    readonly MessageNotFound: {
        readonly http: 404;
        readonly text: "The specified message does not exist.";
    };
    readonly PopReceiptMismatch: {
        readonly http: 400;
        readonly text: "The specified pop receipt did not match the pop receipt for a dequeued message.";
    };
    readonly QueueAlreadyExists: {
        readonly http: 409;
        readonly text: "The specified queue already exists.";
    };
    readonly QueueNotFound: {
        readonly http: 404;
        readonly text: "The specified queue does not exist.";
    };
    readonly AtomFormatNotSupported: {
        readonly http: 415;
        readonly text: "Atom format is not supported.";
    };
    readonly CommandsInBatchActOnDifferentPartitions: {
        readonly http: 400;
        readonly text: "All commands in a batch must operate on same entity group.";
    };
    readonly DuplicatePropertiesSpecified: {
        readonly http: 400;
        readonly text: "A property is specified more than one time.";
    };
    readonly EntityAlreadyExists: {
        readonly http: 409;
        readonly text: "The specified entity already exists.";
    };
    readonly EntityTooLarge: {
        readonly http: 400;
        readonly text: "The entity is larger than the maximum allowed size (1MB).";
    };
    readonly HostInformationNotPresent: {
        readonly http: 400;
        readonly text: "The required host information is not present in the request. You must send a non-empty Host header or include the absolute URI in the request line.";
    };
    readonly InvalidDuplicateRow: {
        readonly http: 400;
        readonly text: "The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.";
    };
    readonly InvalidValueType: {
        readonly http: 400;
        readonly text: "The value specified is of an invalid type.";
    };
    readonly JsonFormatNotSupported: {
        readonly http: 415;
        readonly text: "JSON format is not supported.";
    };
    readonly JsonVerboseFormatNotSupported: {
        readonly http: 415;
        readonly text: "JSON Verbose format is not supported.";
    };
    readonly KeyValueTooLarge: {
        readonly http: 400;
        readonly text: "The key value is larger than the maximum allowed size (1KB).";
    };
    readonly MediaTypeNotSupported: {
        readonly http: 415;
        readonly text: "None of the provided media types are supported.";
    };
    readonly MethodNotAllowed: {
        readonly http: 405;
        readonly text: "The requested method is not allowed on the specified resource.";
    };
    readonly NotImplemented: {
        readonly http: 501;
        readonly text: "The requested operation is not implemented on the specified resource.";
    };
    readonly PropertiesNeedValue: {
        readonly http: 400;
        readonly text: "The values are not specified for all properties in the entity.";
    };
    readonly PropertyNameInvalid: {
        readonly http: 400;
        readonly text: "The property name is invalid.";
    };
    readonly PropertyNameTooLong: {
        readonly http: 400;
        readonly text: "The property name exceeds the maximum allowed length (255).";
    };
    readonly PropertyValueTooLarge: {
        readonly http: 400;
        readonly text: "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.";
    };
    readonly TableAlreadyExists: {
        readonly http: 409;
        readonly text: "The table specified already exists.";
    };
    readonly TableNotFound: {
        readonly http: 404;
        readonly text: "The table specified does not exist.";
    };
    readonly TooManyProperties: {
        readonly http: 400;
        readonly text: "The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.";
    };
    readonly UpdateConditionNotSatisfied: {
        readonly http: 412;
        readonly text: "The update condition specified in the request was not satisfied.";
    };
    readonly XMethodIncorrectCount: {
        readonly http: 400;
        readonly text: "Only one X-HTTP-Method header may be specified.";
    };
    readonly XMethodIncorrectValue: {
        readonly http: 400;
        readonly text: "The X-HTTP-Method header may be PUT, MERGE, PATCH or DELETE only.";
    };
    readonly XMethodNotUsingPost: {
        readonly http: 400;
        readonly text: "X-HTTP-Method may be used with POST only.";
    };
};
export type RefusalCode = keyof typeof REFUSALS;
/** More for the client: extra elements of the error body, headers of the reply, a text of its own. */
export interface RefusalDetail {
    readonly text?: string;
    readonly elements?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
}
/** An expected no. It carries no stack: refusals are part of the protocol, and contention makes many of them. */
export declare class Refusal extends Error {
    readonly name = "Refusal";
    readonly code: RefusalCode;
    readonly detail: RefusalDetail;
    constructor(code: RefusalCode, detail?: RefusalDetail);
    get row(): RefusalRow;
}
/** A header the client must mend, named as the protocol names it. */
export declare function badHeader(name: string, value: string, code?: RefusalCode): Refusal;
/** A query parameter the client must mend. */
export declare function badQuery(name: string, value: string, reason: string, code?: RefusalCode): Refusal;
