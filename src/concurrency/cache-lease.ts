import { type Access, NO_ACCESS, type RestUse } from "./share-mode.ts";

/**
 * What an SMB client may keep in its cache of a file: reads (R), the open handle after the application closed
 * it (H), and writes (W). Leases name these states as they are; oplocks are the older words for some of them:
 * level II is R, exclusive is RW, batch is RWH.
 *
 *   W lives alone: nobody else may have the file open for more than a look at its attributes.
 *   R lives until somebody writes. H lives until somebody is kept out by the handle, or wants the file gone.
 *
 * Taking W or H away needs the client's answer, because it has writes to send or a handle to close. R alone
 * goes without a word.
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

export interface CacheHolder {
  readonly state: CacheState;
  readonly isLease: boolean;
}

export interface CacheRequest {
  readonly wanted: CacheState;
  readonly isLease: boolean;
  /** Somebody else has the file open for more than its attributes. */
  readonly isShared: boolean;
  /** Byte ranges are locked: what a client reads from its cache would not meet them. */
  readonly isLocked: boolean;
  /** Caches of others on this file. */
  readonly others: readonly CacheHolder[];
}

/** What of a wish is granted to a new open. */
export function grantCache({ wanted, isLease, isShared, isLocked, others }: CacheRequest): CacheState {
  if (!GRANTABLE.has(wanted)) return NO_CACHE;
  let granted = wanted;
  if (isLocked) granted &= ~(READ_CACHE | HANDLE_CACHE);
  // A cache of somebody else counts as much as an open that reads or writes, even where it came with a mere
  // look.
  if (isShared || others.some((other) => other.state !== NO_CACHE)) granted &= ~WRITE_CACHE;
  // An oplock knows no handle caching of others, a lease none beside an oplock.
  if (isLease && others.some((other) => !other.isLease && other.state !== NO_CACHE)) granted &= ~HANDLE_CACHE;
  if (!isLease) {
    if (others.some((other) => other.isLease && (other.state & HANDLE_CACHE) !== 0)) return NO_CACHE;
    if ((granted & WRITE_CACHE) === 0) granted &= READ_CACHE;
  }
  return GRANTABLE.has(granted) ? granted : NO_CACHE;
}

/**
 * Clients of several nodes hold no caches of a file that they have open together: which of them has what
 * could be known only by asking. An open counts for that when it reads, writes or deletes, or when its client
 * asked for a cache; one that merely looks at attributes disturbs nobody.
 */
export function countsElsewhere({
  access,
  mayCache,
}: {
  readonly access: Access;
  readonly mayCache: boolean;
}): boolean {
  return access !== NO_ACCESS || mayCache;
}

/** Why a cache is in somebody's way. */
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

/**
 * What a REST call is to the caches of SMB clients. A lease only asks whether handles that are kept are in
 * use.
 */
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
  /** The other must wait for the client's answer. */
  readonly isAwaited: boolean;
}

/** What is left of a cache after a conflict; undefined when it is not touched. */
export function breakCache(state: CacheState, conflict: CacheConflict): CacheBreak | undefined {
  const to = state & kept(conflict);
  if (to === state) return undefined;
  switch (conflict) {
    case "open":
    case "overwrite":
      return { to, isAwaited: (state & WRITE_CACHE) !== 0 };
    case "sharing":
    case "remove":
      return { to, isAwaited: true };
    case "write":
      return { to, isAwaited: (state & WRITE_CACHE) !== 0 };
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
 * The next step of a break that has to go further than the client was told at first: it gives up its handles
 * before its reads, so that it can answer the one and need not answer the other.
 */
export function nextStep(state: CacheState, required: CacheState): CacheState | undefined {
  if ((state & ~required) === 0) return undefined;
  return (state & HANDLE_CACHE & ~required) !== 0
    ? (state & ~HANDLE_CACHE) | (state & required)
    : state & required;
}

/** Whether the client has to answer a break: only reads can be forgotten without a word. */
export function needsAnswer(from: CacheState, to: CacheState): boolean {
  return (from & ~to & (WRITE_CACHE | HANDLE_CACHE)) !== 0;
}

/** Whether a client may answer a break with this state. */
export function isAnswerValid(answer: CacheState, to: CacheState): boolean {
  return (answer & ~to) === 0;
}
