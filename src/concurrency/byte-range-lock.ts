/**
 * Byte-range locks: shared ones keep others from writing, exclusive ones also from reading. They belong to a
 * handle and go with it.
 *
 * A REST call takes none. It writes as if to the whole file, so any lock on any range stands in its way; it
 * reads the range it asks for, so only an exclusive lock there does.
 */
export interface ByteRange {
  readonly offset: bigint;
  readonly length: bigint;
}

export interface Lock extends ByteRange {
  readonly isExclusive: boolean;
}

export interface HeldLock extends Lock {
  readonly handle: bigint;
}

/** A range of no bytes lies between two bytes: it meets what has bytes on both sides of it. */
export function overlaps(one: ByteRange, other: ByteRange): boolean {
  if (one.length === 0n && other.length === 0n) return false;
  const oneEnd = one.offset + one.length;
  const otherEnd = other.offset + other.length;
  return one.offset < otherEnd && other.offset < oneEnd;
}

/**
 * The lock that keeps a new one from being taken. Two shared locks bear each other; a handle may lay a shared
 * lock over its own exclusive one; everything else that overlaps does not go together, not even on one
 * handle.
 */
export function conflictingLock(
  held: readonly HeldLock[],
  wanted: Lock,
  handle: bigint,
): HeldLock | undefined {
  return held.find((lock) => {
    if (!overlaps(lock, wanted)) return false;
    if (wanted.isExclusive) return true;
    return lock.isExclusive && lock.handle !== handle;
  });
}

/** Whether a handle may read here: not under an exclusive lock of another. */
export function mayRead(held: readonly HeldLock[], range: ByteRange, handle: bigint | undefined): boolean {
  return !held.some((lock) => lock.isExclusive && lock.handle !== handle && overlaps(lock, range));
}

/** Whether a handle may write here: under no lock but its own exclusive one. */
export function mayWrite(held: readonly HeldLock[], range: ByteRange, handle: bigint): boolean {
  return !held.some((lock) => !(lock.isExclusive && lock.handle === handle) && overlaps(lock, range));
}

/** A REST write needs the whole file. */
export function mayRestWrite(held: readonly HeldLock[]): boolean {
  return held.length === 0;
}

/** Without the one lock that is exactly this one; undefined when there is none. */
export function withoutLock(locks: readonly Lock[], range: ByteRange): Lock[] | undefined {
  const at = locks.findIndex(({ offset, length }) => offset === range.offset && length === range.length);
  return at < 0 ? undefined : locks.toSpliced(at, 1);
}
