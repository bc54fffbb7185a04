import { withStatus } from "./row.ts";

/** What only the File service answers; most codes of leases and copies are shared with blobs. */
export const FILE_REFUSALS = {
  ...withStatus(400, {
    FileInvalidPermissionKey: "The specified file permission key does not exist in the share.",
  }),
  ClientCacheFlushDelay: {
    http: 408,
    text: "The specified resource state could not be flushed from an SMB client in the specified time.",
  },
  ...withStatus(409, {
    DeleteShareWhenSnapshotLeased:
      "Unable to delete share because one or more share snapshots have active leases.",
    FileGenerationMismatch: "The file has been recreated since the previous snapshot was taken.",
    ShareAlreadyExists: "The specified share already exists.",
    ShareBeingDeleted: "The specified share is being deleted. Try operation later.",
    ShareHasSnapshots: "The share has snapshots and the operation requires no snapshots.",
    ShareSnapshotCountExceeded: "The total number of snapshots for the share is over the limit.",
  }),
  ...withStatus(412, {
    LeaseIdMismatchWithFileOperation: "The lease ID specified did not match the lease ID for the file.",
    LeaseNotPresentWithFileOperation: "There is currently no lease on the file.",
  }),
  CannotDeleteFileOrDirectory: {
    http: 409,
    smb: 0xc000_0121,
    text: "The file or directory could not be deleted because it is in use by an SMB client.",
  },
  CopySourceInvalid: {
    http: 400,
    code: "CannotVerifyCopySource",
    text: "Value for one of the query parameters specified in the request URI is invalid.",
  },
  DirectoryNotEmpty: { http: 409, smb: 0xc000_0101, text: "The specified directory is not empty." },
  ExtendedAttributesTooLarge: {
    http: 400,
    smb: 0xc000_0050,
    text: "The extended attributes of a file or directory exceed the maximum size permitted.",
  },
  FileInvalidPermission: { http: 400, smb: 0xc000_0079, text: "The specified file permission is not valid." },
  InvalidOwner: {
    http: 400,
    smb: 0xc000_005a,
    text: "The caller is not allowed to assign this owner.",
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
  /** A share answers with the codes of containers, but its own text. */
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
  ParentNotFound: { http: 404, smb: 0xc000_003a, text: "The specified parent path does not exist." },
  ReadOnlyAttribute: {
    http: 409,
    smb: 0xc000_0022,
    text: "The specified resource is read-only and cannot be modified at this time.",
  },
  ShareNotFound: { http: 404, smb: 0xc000_00cc, text: "The specified share does not exist." },
  ShareSizeLimitReached: {
    http: 413,
    smb: 0xc000_007f,
    text: "The share has reached the maximum size its quota allows.",
  },
  /** Other requests than Delete Share have no code of their own for a snapshot that is not there. */
  SnapshotNotFound: {
    http: 404,
    smb: 0xc000_0034,
    code: "ShareNotFound",
    text: "The specified share does not exist.",
  },
  ShareSnapshotNotFound: { http: 404, text: "The specified share snapshot was not found." },
  ShareSnapshotOperationNotSupported: {
    http: 400,
    smb: 0xc000_00a2,
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
  TooManyStreams: { http: 409, smb: 0xc000_009a, text: "The file or directory has too many named streams." },
} as const;
