/**
 * The smallest view of a file system that the extents need. One device is one directory; a file in it has a
 * plain name. System errors pass through unchanged (with their `code`); the log interprets them.
 *
 * What a device guarantees after a crash:
 *   - bytes written before a resolved `sync` of their file are there, and so is the length that covers them;
 *   - bytes written later may be there, in part or not at all, in any order;
 *   - a created or removed name is certain only after `syncDirectory`.
 */
export interface Device {
  /** The location of the files, for messages. */
  readonly place: string;
  /** A new file, open for writing and reading. Rejects with EEXIST when the name exists. */
  create(name: string): Promise<DeviceFile>;
  /** An existing file, open for reading. Rejects with ENOENT when there is none. */
  open(name: string): Promise<DeviceFile>;
  list(): Promise<DeviceEntry[]>;
  /** Readers that have the file open keep it. Rejects with ENOENT when there is none. */
  remove(name: string): Promise<void>;
  syncDirectory(): Promise<void>;
}

export interface DeviceEntry {
  readonly name: string;
  readonly bytes: number;
}

export interface DeviceFile {
  /** Writes all parts in sequence at `offset`. When it rejects, any part of it may be in the file. */
  write(parts: readonly Uint8Array[], offset: number): Promise<void>;
  /** Fills the parts in sequence from `offset`; returns the bytes read, fewer only at the end of the file. */
  read(parts: readonly Uint8Array[], offset: number): Promise<number>;
  sync(): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

/** The remainder of `parts` after their first `done` bytes, to continue a partial read or write. */
export function partsAfter(parts: readonly Uint8Array[], done: number): Uint8Array[] {
  let left = done;
  const rest: Uint8Array[] = [];
  for (const part of parts) {
    if (left >= part.length) left -= part.length;
    else {
      rest.push(left === 0 ? part : part.subarray(left));
      left = 0;
    }
  }
  return rest;
}

export function bytesIn(parts: readonly Uint8Array[]): number {
  let total = 0;
  for (const part of parts) total += part.length;
  return total;
}
