/** What only the File service answers; most codes of leases and copies are shared with blobs. */
export const FILE_REFUSALS = {
  CannotDeleteFileOrDirectory: {
    http: 409,
    smb: 0xc000_0121,
    text: "The file or directory could not be deleted because it is in use by an SMB client.",
  },
  CopySourceInvalid: { http: 400, code: "CannotVerifyCopySource", text: "The copy source is not valid." },
  ClientCacheFlushDelay: {
    http: 408,
    text: "The specified resource state could not be flushed from an SMB client in the specified time.",
  },
  DeleteShareWhenSnapshotLeased: {
    http: 409,
    text: "Unable to delete share because one or more share snapshots have active leases.",
  },
  DirectoryNotEmpty: { http: 409, smb: 0xc000_0101, text: "The specified directory is not empty." },
  ExtendedAttributesTooLarge: {
    http: 400,
    smb: 0xc000_0050,
    text: "The extended attributes of a file or directory take more room than it may have for them.",
  },
  FileGenerationMismatch: {
    http: 409,
    text: "The file has been recreated since the previous snapshot was taken.",
  },
  FileInvalidPermission: {
    http: 400,
    smb: 0xc000_0079,
    text: "The specified file permission is not valid.",
  },
  FileInvalidPermissionKey: {
    http: 400,
    text: "The specified file permission key does not exist in the share.",
  },
  InvalidOwner: {
    http: 400,
    smb: 0xc000_005a,
    text: "The owner is somebody whom the caller cannot make the owner.",
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
  /** A share answers with the codes of containers, in words of its own. */
  LeaseIdMismatchWithShareOperation: {
    http: 412,
    code: "LeaseIdMismatchWithContainerOperation",
    text: "The lease ID specified did not match the lease ID for the file share.",
  },
  LeaseNotPresentWithShareOperation: {
    http: 412,
    code: "LeaseNotPresentWithContainerOperation",
    text: "There is currently no lease on the file share.",
  },
  LeaseIdMismatchWithFileOperation: {
    http: 412,
    text: "The lease ID specified did not match the lease ID for the file.",
  },
  LeaseNotPresentWithFileOperation: { http: 412, text: "There is currently no lease on the file." },
  ParentNotFound: { http: 404, smb: 0xc000_003a, text: "The specified parent path does not exist." },
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
    smb: 0xc000_0034,
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
    smb: 0xc000_011f,
    text: "The file or directory has too many open handles.",
  },
  /** Only SMB clients name streams, so only they meet it. */
  TooManyStreams: {
    http: 409,
    smb: 0xc000_009a,
    text: "The file or directory has too many named streams.",
  },
} as const;
