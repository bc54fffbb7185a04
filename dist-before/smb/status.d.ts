/** NTSTATUS values this server sends, by their names in [MS-ERREF]. */
export declare const STATUS: {
    readonly SUCCESS: 0;
    readonly PENDING: 259;
    readonly NOTIFY_CLEANUP: 267;
    readonly NOTIFY_ENUM_DIR: 268;
    readonly BUFFER_OVERFLOW: 2147483653;
    readonly NO_MORE_FILES: 2147483654;
    readonly UNSUCCESSFUL: 3221225473;
    readonly NOT_IMPLEMENTED: 3221225474;
    readonly INVALID_INFO_CLASS: 3221225475;
    readonly INFO_LENGTH_MISMATCH: 3221225476;
    readonly INVALID_HANDLE: 3221225480;
    readonly INVALID_PARAMETER: 3221225485;
    readonly NO_SUCH_FILE: 3221225487;
    readonly INVALID_DEVICE_REQUEST: 3221225488;
    readonly END_OF_FILE: 3221225489;
    readonly MORE_PROCESSING_REQUIRED: 3221225494;
    readonly INVALID_VIEW_SIZE: 3221225503;
    readonly ACCESS_DENIED: 3221225506;
    readonly BUFFER_TOO_SMALL: 3221225507;
    readonly OBJECT_NAME_INVALID: 3221225523;
    readonly OBJECT_NAME_NOT_FOUND: 3221225524;
    readonly OBJECT_NAME_COLLISION: 3221225525;
    readonly OBJECT_PATH_NOT_FOUND: 3221225530;
    readonly OBJECT_PATH_SYNTAX_BAD: 3221225531;
    readonly SHARING_VIOLATION: 3221225539;
    readonly EAS_NOT_SUPPORTED: 3221225551;
    readonly NO_EAS_ON_FILE: 3221225554;
    readonly FILE_LOCK_CONFLICT: 3221225556;
    readonly LOCK_NOT_GRANTED: 3221225557;
    readonly DELETE_PENDING: 3221225558;
    readonly PRIVILEGE_NOT_HELD: 3221225569;
    readonly LOGON_FAILURE: 3221225581;
    readonly INVALID_SECURITY_DESCR: 3221225593;
    readonly RANGE_NOT_LOCKED: 3221225598;
    readonly DISK_FULL: 3221225599;
    readonly INSUFFICIENT_RESOURCES: 3221225626;
    readonly MEDIA_WRITE_PROTECTED: 3221225634;
    readonly BAD_IMPERSONATION_LEVEL: 3221225637;
    readonly FILE_IS_A_DIRECTORY: 3221225658;
    readonly NOT_SUPPORTED: 3221225659;
    readonly NETWORK_NAME_DELETED: 3221225673;
    readonly BAD_NETWORK_NAME: 3221225676;
    readonly REQUEST_NOT_ACCEPTED: 3221225680;
    readonly INVALID_OPLOCK_PROTOCOL: 3221225699;
    readonly INTERNAL_ERROR: 3221225701;
    readonly UNEXPECTED_IO_ERROR: 3221225705;
    readonly DIRECTORY_NOT_EMPTY: 3221225729;
    readonly NOT_A_DIRECTORY: 3221225731;
    readonly TOO_MANY_OPENED_FILES: 3221225759;
    readonly CANCELLED: 3221225760;
    readonly CANNOT_DELETE: 3221225761;
    readonly FILE_CLOSED: 3221225768;
    readonly INVALID_DEVICE_STATE: 3221225860;
    readonly INVALID_LOCK_RANGE: 3221225889;
    readonly USER_SESSION_DELETED: 3221225987;
    readonly INSUFF_SERVER_RESOURCES: 3221225989;
    readonly NOT_FOUND: 3221226021;
    readonly NOT_A_REPARSE_POINT: 3221226101;
    readonly REQUEST_OUT_OF_SEQUENCE: 3221226538;
    readonly NO_PREAUTH_INTEGRITY_HASH_OVERLAP: 3227320320;
};
/** An expected no: the request is answered with this status and the connection goes on. */
export declare class StatusError extends Error {
    readonly name = "StatusError";
    readonly status: number;
    /** Error data of the reply, such as the size that a buffer should have had. */
    readonly data: Buffer | undefined;
    constructor(status: number, data?: Buffer);
}
export declare function refuse(status: number, data?: Buffer): StatusError;
/** The peer broke the protocol in a way that has no answer: the connection ends without a word. */
export declare class Breach extends Error {
    readonly name = "Breach";
}
export declare function breach(what: string): Breach;
