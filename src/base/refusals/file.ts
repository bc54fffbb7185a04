/** What only the File service answers; the codes of leases are shared with blobs. */
export const FILE_REFUSALS = {
  CannotDeleteFileOrDirectory: {
    http: 409,
    smb: 0xc000_0121,
    text: "The file or directory could not be deleted because it is in use by an SMB client.",
  },
  CannotVerifyCopySource: { http: 500, text: "Could not verify the copy source within the specified time." },
  /** The same code with the status the source gave. */
  CopySourceNotFound: {
    http: 404,
    code: "CannotVerifyCopySource",
    text: "The specified resource does not exist.",
  },
  CopySourceForbidden: {
    http: 403,
    code: "CannotVerifyCopySource",
    text: "This request is not authorized to perform this operation.",
  },
  CopySourceInvalid: { http: 400, code: "CannotVerifyCopySource", text: "The copy source is not valid." },
  ClientCacheFlushDelay: {
    http: 408,
    text: "The specified resource state could not be flushed from an SMB client in the specified time.",
  },
  CopyIdMismatch: {
    http: 409,
    text: "The specified copy ID did not match the copy ID for the pending copy.",
  },
  DeleteShareWhenSnapshotLeased: {
    http: 409,
    text: "Unable to delete share because one or more share snapshots have active leases.",
  },
  DirectoryNotEmpty: { http: 409, smb: 0xc000_0101, text: "The specified directory is not empty." },
  FileGenerationMismatch: {
    http: 409,
    text: "The file has been recreated since the previous snapshot was taken.",
  },
  FileInvalidPermission: { http: 400, text: "The specified file permission is not valid." },
  FileInvalidPermissionKey: {
    http: 400,
    text: "The specified file permission key does not exist in the share.",
  },
  FileLockConflict: {
    http: 409,
    smb: 0xc000_0054,
    text: "A portion of the specified file is locked by an SMB client.",
  },
  InvalidFileOrDirectoryPathName: {
    http: 400,
    smb: 0xc000_0033,
    text: "The specified file or directory path is not valid: too long, too deep, or reserved.",
  },
  LeaseAlreadyPresent: { http: 409, text: "There is already a lease present." },
  LeaseIdMismatchWithBlobOperation: {
    http: 412,
    text: "The lease ID specified did not match the lease ID for the blob.",
  },
  LeaseIdMismatchWithContainerOperation: {
    http: 412,
    text: "The lease ID specified did not match the lease ID for the file share.",
  },
  LeaseIdMismatchWithFileOperation: {
    http: 412,
    text: "The lease ID specified did not match the lease ID for the file.",
  },
  LeaseIdMismatchWithLeaseOperation: {
    http: 409,
    text: "The lease ID specified did not match the lease ID for the resource with the specified lease operation.",
  },
  LeaseIdMissing: {
    http: 412,
    smb: 0xc000_0043,
    text: "There is currently a lease on the resource and no lease ID was specified in the request.",
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
  LeaseLost: {
    http: 412,
    text: "A lease ID was specified, but the lease for the resource has expired or was broken.",
  },
  LeaseNotPresentWithBlobOperation: { http: 412, text: "There is currently no lease on the blob." },
  LeaseNotPresentWithContainerOperation: {
    http: 412,
    text: "There is currently no lease on the file share.",
  },
  LeaseNotPresentWithFileOperation: { http: 412, text: "There is currently no lease on the file." },
  LeaseNotPresentWithLeaseOperation: { http: 409, text: "There is currently no lease on the resource." },
  NoPendingCopyOperation: { http: 409, text: "There is currently no pending copy operation." },
  ParentNotFound: { http: 404, smb: 0xc000_003a, text: "The specified parent path does not exist." },
  PendingCopyOperation: { http: 409, text: "There is currently a pending copy operation." },
  PreviousSnapshotNotFound: { http: 409, text: "The previous snapshot is not found." },
  ReadOnlyAttribute: {
    http: 409,
    smb: 0xc000_0022,
    text: "The specified resource is read-only and cannot be modified at this time.",
  },
  ShareAlreadyExists: { http: 409, text: "The specified share already exists." },
  ShareHasSnapshots: { http: 409, text: "The share has snapshots and the operation requires no snapshots." },
  ShareNotFound: { http: 404, smb: 0xc000_00cc, text: "The specified share does not exist." },
  ShareSizeLimitReached: {
    http: 413,
    smb: 0xc000_007f,
    text: "The share has reached the maximum size its quota allows.",
  },
  ShareSnapshotCountExceeded: {
    http: 409,
    text: "The total number of snapshots for the share is over the limit.",
  },
  /** The protocol has no code of its own for a snapshot that is not there. */
  ShareSnapshotNotFound: {
    http: 404,
    code: "ShareNotFound",
    text: "The specified share snapshot does not exist.",
  },
  ShareSnapshotOperationNotSupported: {
    http: 400,
    text: "The requested operation is not supported on a share snapshot.",
  },
  SharingViolation: {
    http: 409,
    smb: 0xc000_0043,
    text: "The specified resource may be in use by an SMB client.",
  },
  SMBDeletePending: {
    http: 409,
    smb: 0xc000_0056,
    text: "The specified resource is marked for deletion by an SMB client.",
  },
  TooManyOpenHandles: {
    http: 409,
    smb: 0xc000_0044,
    text: "The file or directory has too many open handles.",
  },
} as const;
