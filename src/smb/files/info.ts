import { ROOT } from "../../services/file/inodes.ts";
import type { InodeRecord } from "../../services/file/records.ts";
import type { StreamList } from "../../services/file/streams.ts";
import type { FileInfo, StreamEntry } from "../file-system.ts";
import { ATTRIBUTE } from "../wire/create.ts";
import { fileTimeOfTicks } from "../wire/filetime.ts";

const UNIT_BYTES = 4_096;

/**
 * The root directory is 0 to REST. An SMB client takes 0 for "this server has no file ids": macOS then stops using
 * those of all other files, too. No other node has this number, their ids being times.
 */
const ROOT_FILE_ID = 1n;

/** What a server of this protocol may show; the rest of the stored bits belongs to REST. */
const SHOWN_ATTRIBUTES = 0x3337;

export interface InfoInput {
  readonly inode: bigint;
  readonly record: InodeRecord;
  readonly isDeletePending?: boolean;
  /** Asked for by the client, and not yet used. */
  readonly reservedBytes?: number;
}

export function allocationOf(bytes: number): number {
  return Math.ceil(bytes / UNIT_BYTES) * UNIT_BYTES;
}

export function infoOf({ inode, record, isDeletePending = false, reservedBytes = 0 }: InfoInput): FileInfo {
  const isFile = record.kind === "file";
  const allocated = allocationOf(Math.max(record.size, reservedBytes));
  const attributes = record.attributes & SHOWN_ATTRIBUTES;
  return {
    inode: inode === ROOT ? ROOT_FILE_ID : inode,
    kind: record.kind,
    createdAt: fileTimeOfTicks(record.createdAt),
    accessedAt: fileTimeOfTicks(record.accessedAt ?? record.writtenAt),
    writtenAt: fileTimeOfTicks(record.writtenAt),
    changedAt: fileTimeOfTicks(record.changedAt),
    size: record.size,
    allocationSize: isFile ? allocated : 0,
    attributes: attributes === 0 ? ATTRIBUTE.NORMAL : attributes,
    isDeletePending,
    eaSize: record.eaSize ?? 0,
  };
}

/** The content of a file first, under no name. */
export function streamEntriesOf({ base, named }: StreamList): readonly StreamEntry[] {
  const entryOf = (name: string, { size }: InodeRecord): StreamEntry => ({
    name,
    size,
    allocationSize: allocationOf(size),
  });
  const own = base.record.kind === "file" ? [entryOf("", base.record)] : [];
  return [...own, ...named.map(({ name, inode }) => entryOf(name, inode.record))];
}
