/**
 * Byte-range locks. A shared lock keeps other handles from writing the range, an exclusive one also from
 * reading it. A lock belongs to a handle and ends with it.
 *
 * REST calls take no locks. A REST write counts as a write to the whole file, so any lock refuses it. A REST
 * read is refused by an exclusive lock on its range.
 */
export interface ByteRange {
  readonly offset: bigint;
  readonly length: bigint;
}

export interface Lock extends ByteRange {
  readonly isExclusive: boolean;
}

export interface HandleLock extends Lock {
  readonly handle: bigint;
}

/** An empty range overlaps a range with bytes on both sides of it. */
export function overlaps(a: ByteRange, b: ByteRange): boolean {
  if (a.length === 0n && b.length === 0n) return false;
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

/**
 * The lock that refuses a new one. Two shared locks are compatible, and a handle may lay a shared lock over
 * its own exclusive one. Any other overlap is a conflict, even on one handle.
 */
export function conflictingLock(
  locks: readonly HandleLock[],
  requested: Lock,
  handle: bigint,
): HandleLock | undefined {
  return locks.find((lock) => {
    if (!overlaps(lock, requested)) return false;
    if (requested.isExclusive) return true;
    return lock.isExclusive && lock.handle !== handle;
  });
}

/** A handle may read where no other handle has an exclusive lock. */
export function mayRead(locks: readonly HandleLock[], range: ByteRange, handle: bigint | undefined): boolean {
  return !locks.some((lock) => lock.isExclusive && lock.handle !== handle && overlaps(lock, range));
}

/** A handle may write where there is no lock except its own exclusive ones. */
export function mayWrite(locks: readonly HandleLock[], range: ByteRange, handle: bigint): boolean {
  return !locks.some((lock) => !(lock.isExclusive && lock.handle === handle) && overlaps(lock, range));
}

/** A REST write needs a file without locks. */
export function mayRestWrite(locks: readonly HandleLock[]): boolean {
  return locks.length === 0;
}

/** The locks without the one of exactly this range; undefined when there is none. */
export function withoutLock(locks: readonly Lock[], range: ByteRange): Lock[] | undefined {
  const at = locks.findIndex(({ offset, length }) => offset === range.offset && length === range.length);
  return at < 0 ? undefined : locks.toSpliced(at, 1);
}
