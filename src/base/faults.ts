/**
 * The world failed us: disk full, I/O error, lost connection. Logged with its cause, shown to the client as
 * 500 or 503. `isTransient` says that the same request may work later (the disk has room again).
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
 * No answer to a commit came within the time that a caller waits, so the write may or may not be durable: see
 * `KeySpace.write`. The client sees 500 OperationTimedOut, the protocol's code for a request that may have
 * happened.
 */
export class OutcomeUnknown extends StorageFault {
  /** Settles once it is known: whether the write was made. Stays pending when the process ends before. */
  readonly landed: Promise<boolean>;

  constructor(message: string, landed: Promise<boolean>) {
    super(message);
    this.landed = landed;
  }
}

/** No room left for what was to be written. Nothing of it was, and it may work when there is room again. */
export class OutOfSpace extends StorageFault {
  constructor(message: string, cause?: unknown) {
    super(message, { cause, isTransient: true });
  }
}

/**
 * What `--extentMemoryLimit` allows is used up. Waiting brings nothing back, so clients are told not to try
 * again.
 */
export class MemoryLimitReached extends OutOfSpace {
  readonly code = "ENOSPC";
}

/** Stored bytes do not match their checksum. Never answered with the bytes. */
export class DamagedData extends StorageFault {}

/**
 * The data directory cannot be used as it is: damaged, of a newer format, or in use. Holdfast refuses to
 * start, names the file and changes nothing.
 */
export class UnusableDirectory extends Error {
  override readonly name = "UnusableDirectory";
}

/**
 * The system does not let us start, as with an address where we may not listen. The message is one line for
 * the operator.
 */
export class CannotStart extends Error {
  override readonly name = "CannotStart";
}

/**
 * The other nodes on a database have held this one for dead, because it was silent for too long, and have
 * released what it held. It must not go on.
 */
export class DeclaredDead extends Error {
  override readonly name = "DeclaredDead";
}

/** Whether the same may work later. */
export function isTransientFault(error: unknown): boolean {
  return error instanceof StorageFault && error.isTransient;
}

export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** No room left: what is there stays readable, and writing goes on when space is back. */
export function isOutOfSpace(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOSPC" || code === "EDQUOT";
}
