import { type Access, NO_ACCESS, type RestUse } from "./share-mode.ts";

/**
 * What an SMB client may cache of a file: reads (R), the handle after the application closed it (H), and
 * writes (W). Leases name these states directly. Oplocks are older names for some of them: level II is R,
 * exclusive is RW, batch is RWH.
 *
 *   W excludes other opens, except those that only read attributes.
 *   R lasts until another client writes.
 *   H lasts until the handle keeps another open out, or a client renames or deletes the file.
 *
 * To break W or H the server waits for an acknowledgement, because the client has writes to send or a handle
 * to close. R alone is broken without one.
 */
export type CacheState = number;
export const NO_CACHE: CacheState = 0;
export const READ_CACHE: CacheState = 1;
export const HANDLE_CACHE: CacheState = 2;
export const WRITE_CACHE: CacheState = 4;

const GRANTABLE: ReadonlySet<CacheState> = new Set([
  NO_CACHE,
  READ_CACHE,
  READ_CACHE | HANDLE_CACHE,
  READ_CACHE | WRITE_CACHE,
  READ_CACHE | HANDLE_CACHE | WRITE_CACHE,
]);

export interface GrantedCache {
  readonly state: CacheState;
  readonly isLease: boolean;
}

export interface CacheRequest {
  readonly requested: CacheState;
  readonly isLease: boolean;
  /** Another client has the file open for more than its attributes. */
  readonly isShared: boolean;
  /** Byte ranges are locked: reads from a cache would bypass the locks. */
  readonly isLocked: boolean;
  /** Caches of other clients on this file. */
  readonly others: readonly GrantedCache[];
}

/** The part of the request that a new open is granted. */
export function grantCache({ requested, isLease, isShared, isLocked, others }: CacheRequest): CacheState {
  if (!GRANTABLE.has(requested)) return NO_CACHE;
  let granted = requested;
  if (isLocked) granted &= ~(READ_CACHE | HANDLE_CACHE);
  // Another client's cache counts as an open that reads or writes, even if its open only reads attributes.
  if (isShared || others.some((other) => other.state !== NO_CACHE)) granted &= ~WRITE_CACHE;
  // Oplocks and leases do not share handle caching.
  if (isLease && others.some((other) => !other.isLease && other.state !== NO_CACHE)) granted &= ~HANDLE_CACHE;
  if (!isLease) {
    if (others.some((other) => other.isLease && (other.state & HANDLE_CACHE) !== 0)) return NO_CACHE;
    if ((granted & WRITE_CACHE) === 0) granted &= READ_CACHE;
  }
  return GRANTABLE.has(granted) ? granted : NO_CACHE;
}

/**
 * Members of a cluster grant no caches of a file that is open through several of them, because only asking
 * each other could show which client has what. An open counts when it reads, writes or deletes, or when its
 * client requested a cache; one that only reads attributes does not.
 */
export function countsElsewhere(open: { readonly access: Access; readonly mayCache: boolean }): boolean {
  return open.access !== NO_ACCESS || open.mayCache;
}

/** The operation that breaks a cache. */
export type CacheConflict =
  /** Another open that reads or writes. */
  | "open"
  /** Another open that replaces the content. */
  | "overwrite"
  /** Another open that the share mode of a cached handle keeps out. */
  | "sharing"
  /** A write, a new size, a byte-range lock. */
  | "write"
  /** A rename or a delete. */
  | "remove";

/** The conflict of a REST call with the caches of SMB clients. */
export function conflictOfRest(use: RestUse): CacheConflict | undefined {
  switch (use) {
    case "look":
    case "read":
      return "open";
    case "write":
    case "overwrite":
      return "write";
    case "rename":
    case "delete":
      return "remove";
    case "enter":
    case "lease":
      return undefined;
  }
}

export interface CacheBreak {
  readonly to: CacheState;
  /** The conflicting operation waits for the acknowledgement. */
  readonly isAwaited: boolean;
}

/** What a conflict leaves of a cache; undefined when it does not break it. */
export function breakCache(state: CacheState, conflict: CacheConflict): CacheBreak | undefined {
  const to = state & kept(conflict);
  if (to === state) return undefined;
  switch (conflict) {
    case "open":
    case "overwrite":
    case "write":
      return { to, isAwaited: (state & WRITE_CACHE) !== 0 };
    case "sharing":
    case "remove":
      return { to, isAwaited: true };
  }
}

function kept(conflict: CacheConflict): CacheState {
  switch (conflict) {
    case "open":
      return READ_CACHE | HANDLE_CACHE;
    case "sharing":
    case "remove":
      return READ_CACHE | WRITE_CACHE;
    case "overwrite":
    case "write":
      return NO_CACHE;
  }
}

/**
 * The next step of a break that must go further than the client was notified at first. Handle caching is
 * broken before read caching, because only the first needs an acknowledgement.
 */
export function nextStep(state: CacheState, required: CacheState): CacheState | undefined {
  if ((state & ~required) === 0) return undefined;
  return (state & HANDLE_CACHE & ~required) !== 0
    ? (state & ~HANDLE_CACHE) | (state & required)
    : state & required;
}

/** Whether the client must acknowledge a break: read caching alone needs no acknowledgement. */
export function needsAnswer(from: CacheState, to: CacheState): boolean {
  return (from & ~to & (WRITE_CACHE | HANDLE_CACHE)) !== 0;
}

/** Whether a client may acknowledge a break with this state. */
export function isAnswerValid(answer: CacheState, to: CacheState): boolean {
  return (answer & ~to) === 0;
}
