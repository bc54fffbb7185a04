/** What only the File service answers; most codes of leases and copies are shared with blobs. */
export declare const FILE_REFUSALS: {
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
    /** A share answers with the codes of containers, in words of its own. */
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
    /** The protocol has no code of its own for a snapshot that is not there. */
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
};
