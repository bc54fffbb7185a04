/** NTSTATUS values that this server sends, by their names in [MS-ERREF]. */
export const STATUS = {
  SUCCESS: 0,
  PENDING: 0x0000_0103,
  NOTIFY_CLEANUP: 0x0000_010b,
  NOTIFY_ENUM_DIR: 0x0000_010c,
  BUFFER_OVERFLOW: 0x8000_0005,
  NO_MORE_FILES: 0x8000_0006,
  NO_MORE_EAS: 0x8000_0012,
  INVALID_EA_NAME: 0x8000_0013,
  EA_LIST_INCONSISTENT: 0x8000_0014,
  UNSUCCESSFUL: 0xc000_0001,
  INVALID_INFO_CLASS: 0xc000_0003,
  INFO_LENGTH_MISMATCH: 0xc000_0004,
  INVALID_HANDLE: 0xc000_0008,
  INVALID_PARAMETER: 0xc000_000d,
  NO_SUCH_FILE: 0xc000_000f,
  INVALID_DEVICE_REQUEST: 0xc000_0010,
  END_OF_FILE: 0xc000_0011,
  MORE_PROCESSING_REQUIRED: 0xc000_0016,
  INVALID_VIEW_SIZE: 0xc000_001f,
  ACCESS_DENIED: 0xc000_0022,
  BUFFER_TOO_SMALL: 0xc000_0023,
  OBJECT_NAME_INVALID: 0xc000_0033,
  OBJECT_NAME_NOT_FOUND: 0xc000_0034,
  OBJECT_PATH_SYNTAX_BAD: 0xc000_003b,
  SHARING_VIOLATION: 0xc000_0043,
  EA_TOO_LARGE: 0xc000_0050,
  NONEXISTENT_EA_ENTRY: 0xc000_0051,
  NO_EAS_ON_FILE: 0xc000_0052,
  FILE_LOCK_CONFLICT: 0xc000_0054,
  LOCK_NOT_GRANTED: 0xc000_0055,
  DELETE_PENDING: 0xc000_0056,
  PRIVILEGE_NOT_HELD: 0xc000_0061,
  LOGON_FAILURE: 0xc000_006d,
  INVALID_SECURITY_DESCR: 0xc000_0079,
  RANGE_NOT_LOCKED: 0xc000_007e,
  DISK_FULL: 0xc000_007f,
  INSUFFICIENT_RESOURCES: 0xc000_009a,
  BAD_IMPERSONATION_LEVEL: 0xc000_00a5,
  FILE_IS_A_DIRECTORY: 0xc000_00ba,
  NOT_SUPPORTED: 0xc000_00bb,
  NETWORK_NAME_DELETED: 0xc000_00c9,
  BAD_NETWORK_NAME: 0xc000_00cc,
  REQUEST_NOT_ACCEPTED: 0xc000_00d0,
  PIPE_EMPTY: 0xc000_00d9,
  INVALID_OPLOCK_PROTOCOL: 0xc000_00e3,
  INTERNAL_ERROR: 0xc000_00e5,
  UNEXPECTED_IO_ERROR: 0xc000_00e9,
  NOT_A_DIRECTORY: 0xc000_0103,
  TOO_MANY_OPENED_FILES: 0xc000_011f,
  CANCELLED: 0xc000_0120,
  DUPLICATE_OBJECTID: 0xc000_022a,
  FILE_NOT_AVAILABLE: 0xc000_0467,
  FILE_CLOSED: 0xc000_0128,
  INVALID_DEVICE_STATE: 0xc000_0184,
  INVALID_LOCK_RANGE: 0xc000_01a1,
  USER_SESSION_DELETED: 0xc000_0203,
  NOT_FOUND: 0xc000_0225,
  NOT_A_REPARSE_POINT: 0xc000_0275,
  REQUEST_OUT_OF_SEQUENCE: 0xc000_042a,
  NO_PREAUTH_INTEGRITY_HASH_OVERLAP: 0xc05d_0000,
} as const;

function withoutStack<T>(make: () => T): T {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** A refusal: the response has this status, and the connection continues. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: number;
  /** Error data of the response, such as the buffer size that a request would need. */
  readonly data: Buffer | undefined;

  constructor(status: number, data?: Buffer) {
    super(`0x${status.toString(16)}`);
    this.status = status;
    this.data = data;
  }
}

export function refuse(status: number, data?: Buffer): StatusError {
  return withoutStack(() => new StatusError(status, data));
}

/** The peer violated the protocol in a way that has no response: the server closes the connection. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

export function protocolError(what: string): ProtocolError {
  return withoutStack(() => new ProtocolError(what));
}
