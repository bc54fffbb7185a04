import { ROOT } from "../../services/file/inodes.ts";
import type { FileProperties, OpenFile } from "../../services/file/open-file.ts";
import type { InodeRecord } from "../../services/file/records.ts";
import { ATTRIBUTE } from "../wire/create.ts";
import { type FileTime, fileTimeOfTicks } from "../wire/filetime.ts";

/** The properties of a file, directory or stream in the units of the protocol. */
export interface FileInfo {
  readonly inode: bigint;
  readonly kind: InodeRecord["kind"];
  readonly createdAt: FileTime;
  readonly accessedAt: FileTime;
  readonly writtenAt: FileTime;
  readonly changedAt: FileTime;
  readonly size: number;
  readonly allocationSize: number;
  readonly attributes: number;
  readonly isDeletePending: boolean;
  /** Of the extended attributes, as FileEaInformation counts them. */
  readonly eaSize: number;
}

const UNIT_BYTES = 4_096;

/**
 * REST has 0 for the root directory. An SMB client takes 0 for "this server has no file ids": macOS then
 * stops using those of all other files, too. No other inode has the number 1, because their ids are times.
 */
const ROOT_FILE_ID = 1n;

/** What an SMB server may show; the other stored bits belong to REST. */
const SHOWN_ATTRIBUTES = 0x3337;

export function allocationOf(bytes: number): number {
  return Math.ceil(bytes / UNIT_BYTES) * UNIT_BYTES;
}

/** A snapshot is another file: a cache of the live file does not conflict with reads of the snapshot. */
export function inodeNumber({ ref: { snapshot } }: OpenFile, inode: bigint): bigint {
  return snapshot === undefined ? inode : BigInt.asUintN(64, (inode ^ (snapshot << 3n)) | (1n << 63n));
}

/** The properties of an open file. */
export function infoOf(file: OpenFile, properties: FileProperties): FileInfo {
  return infoOfInode(file, file.base ?? file.inode, properties);
}

/** The properties of an inode that an open leads to: itself, an entry, the parent. */
export function infoOfInode(
  file: OpenFile,
  inode: bigint,
  {
    record,
    isDeletePending = false,
    reservedBytes = 0,
  }: { readonly record: InodeRecord } & Partial<FileProperties>,
): FileInfo {
  const number = inodeNumber(file, inode);
  const attributes = record.attributes & SHOWN_ATTRIBUTES;
  return {
    inode: number === ROOT ? ROOT_FILE_ID : number,
    kind: record.kind,
    createdAt: fileTimeOfTicks(record.createdAt),
    accessedAt: fileTimeOfTicks(record.accessedAt ?? record.writtenAt),
    writtenAt: fileTimeOfTicks(record.writtenAt),
    changedAt: fileTimeOfTicks(record.changedAt),
    size: record.size,
    allocationSize: record.kind === "file" ? allocationOf(Math.max(record.size, reservedBytes)) : 0,
    attributes: attributes === 0 ? ATTRIBUTE.NORMAL : attributes,
    isDeletePending,
    eaSize: record.eaSize ?? 0,
  };
}

export async function readInfo(file: OpenFile): Promise<FileInfo> {
  return infoOf(file, await file.properties());
}
