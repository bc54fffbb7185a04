/**
 * A fault of the environment: disk full, I/O error, lost connection. The log shows its cause, the client sees
 * 500 or 503. `isTransient` says that the same request may succeed later.
 */
export class StorageFault extends Error {
  override readonly name = "StorageFault";
  readonly isTransient: boolean;

  constructor(message: string, options: { cause?: unknown; isTransient?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.isTransient = options.isTransient ?? false;
  }
}

/**
 * A commit was not answered in time, so the write may or may not be durable: see `KeySpace.write`. The client
 * sees 500 OperationTimedOut, the protocol's code for a request that may have been carried out.
 */
export class OutcomeUnknown extends StorageFault {
  /** Resolves with whether the write was made, once that is known. */
  readonly landed: Promise<boolean>;

  constructor(message: string, landed: Promise<boolean>) {
    super(message);
    this.landed = landed;
  }
}

/** No space left: nothing was written, and the same write may succeed when there is space again. */
export class OutOfSpace extends StorageFault {
  constructor(message: string, cause?: unknown) {
    super(message, { cause, isTransient: true });
  }
}

/** `--extentMemoryLimit` is reached. Retrying does not help, and the reply says so. */
export class MemoryLimitReached extends OutOfSpace {
  readonly code = "ENOSPC";
}

/** Stored bytes do not match their checksum. The server never returns such bytes. */
export class DamagedData extends StorageFault {}

/** A stored record does not match its checksum; `key` is the place where the store found it. */
export class DamagedRecord extends DamagedData {
  readonly key: string;

  constructor(message: string, key: string) {
    super(message);
    this.key = key;
  }
}

/**
 * The data directory cannot be used as it is: damaged, of a newer format, or in use. Holdfast refuses to
 * start, names the file and changes nothing.
 */
export class UnusableDirectory extends Error {
  override readonly name = "UnusableDirectory";
}

/** The system does not let us start: for example, an address is in use. The message is one line. */
export class CannotStart extends Error {
  override readonly name = "CannotStart";
}

/**
 * The other members on a database declared this one dead, because it sent no heartbeat for too long, and
 * released its locks. It must stop.
 */
export class DeclaredDead extends Error {
  override readonly name = "DeclaredDead";
}

export function isTransientFault(error: unknown): boolean {
  return error instanceof StorageFault && error.isTransient;
}

export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** The disk is full: stored data stays readable, and writes succeed again when there is space. */
export function isOutOfSpace(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOSPC" || code === "EDQUOT";
}
