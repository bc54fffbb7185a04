import { allocatePage } from "../../base/bytes.ts";
import type { Instant } from "../../base/clock.ts";
import { DamagedData } from "../../base/faults.ts";
import type { Revision } from "../../base/revision.ts";
import type { StoredLease } from "../../base/stored-lease.ts";
import { recordType } from "./record.ts";

/**
 * Contents of a share: directory entries, inodes, ranges of files. Each begins with the revision at which it
 * was written, its *since* (8 bytes; see services/file/versions.ts). `pack` writes it; `unpack` expects the
 * bytes after it. Fields have fixed offsets, because every call reads and writes some of these records;
 * version 1 of each was a MessagePack map and is still read. The families keep their stored names (`fileNode`
 * is an inode).
 */
export const SINCE_BYTES = 8;

export interface EntryRecord {
  /** As the client wrote it. */
  readonly name: string;
  readonly inode: bigint;
  readonly kind: "file" | "directory";
}

export interface FileHeaders {
  readonly contentType?: string;
  readonly contentEncoding?: string;
  readonly contentLanguage?: string;
  readonly contentDisposition?: string;
  readonly cacheControl?: string;
  readonly contentMd5?: string;
}

export interface CopyRecord {
  readonly id: string;
  readonly source: string;
  readonly status: "pending" | "success" | "failed" | "aborted";
  readonly bytes: number;
  readonly total: number;
  readonly endedAt?: Instant;
  readonly description?: string;
}

/** A file or a directory. Times are in ticks of 100 ns since the year 1, as revisions are. */
export interface InodeRecord {
  readonly kind: "file" | "directory";
  readonly parent: bigint;
  readonly name: string;
  readonly revision: Revision;
  readonly attributes: number;
  readonly createdAt: bigint;
  readonly writtenAt: bigint;
  readonly changedAt: bigint;
  /** Only where an SMB client has set it. */
  readonly accessedAt?: bigint;
  readonly permission?: string;
  /** It has named streams: see src/services/file/streams.ts. */
  readonly hasStreams?: boolean;
  readonly metadata?: Readonly<Record<string, string>>;
  /** The size of its extended attributes, which have a record of their own; absent when there are none. */
  readonly eaSize?: number;
  /** One of them has FILE_NEED_EA. */
  readonly needsEas?: boolean;
  /** Files only. */
  readonly size: number;
  readonly content: bigint;
  readonly dataRevision: Revision;
  readonly headers?: FileHeaders;
  readonly lease?: StoredLease;
  readonly copy?: CopyRecord;
}

export interface SliceName {
  readonly extent: bigint;
  readonly offset: number;
  readonly length: number;
}

/**
 * A written range. Its bytes lie in the record, or in slices of which the first `skip` bytes (and what
 * follows `length` bytes after that) belong to it no more: later writes took them over.
 */
export type RangeRecord =
  | { readonly inline: Buffer }
  | { readonly slices: readonly SliceName[]; readonly skip: number; readonly length: number };

const FIXED = 2;

/** A reused DataView, the fastest way to read and write 64-bit numbers. */
const view = new DataView(new ArrayBuffer(128));
const viewed = Buffer.from(view.buffer);

function load(family: string, bytes: Buffer, length: number): void {
  if (bytes.length < length) throw new DamagedData(`record of family ${family} ends after ${bytes.length}`);
  bytes.copy(viewed, 0, 0, length);
}

function refuseVersion(family: string, version: number | undefined): never {
  throw new DamagedData(`record of family ${family} has version ${version}, this build knows ${FIXED}`);
}

const KINDS = ["file", "directory"] as const;

function kindOf(family: string, number: number): InodeRecord["kind"] {
  const kind = KINDS[number];
  if (kind === undefined) throw new DamagedData(`record of family ${family} is of kind ${number}`);
  return kind;
}

/** Version 1 stored the inode as `node`. */
const firstEntry = recordType<{ name: string; node: bigint; kind: EntryRecord["kind"] }>("fileEntry", 1);
const ENTRY_NAME_AT = 10;

/** 0 version 2, 1 kind (0 file, 1 directory), 2 inode (8), 10 name, UTF-8 */
export const entryRecord = {
  pack({ name, inode, kind }: EntryRecord, since: Revision): Buffer {
    const bytes = Buffer.allocUnsafe(SINCE_BYTES + ENTRY_NAME_AT + Buffer.byteLength(name));
    view.setBigUint64(0, since);
    view.setUint8(8, FIXED);
    view.setUint8(9, kind === "file" ? 0 : 1);
    view.setBigUint64(10, inode);
    viewed.copy(bytes, 0, 0, SINCE_BYTES + ENTRY_NAME_AT);
    bytes.utf8Write(name, SINCE_BYTES + ENTRY_NAME_AT);
    return bytes;
  },
  unpack(bytes: Buffer): EntryRecord {
    if (bytes[0] === 1) {
      const { name, node: inode, kind } = firstEntry.unpack(bytes);
      return { name, inode, kind };
    }
    if (bytes[0] !== FIXED) refuseVersion("fileEntry", bytes[0]);
    load("fileEntry", bytes, ENTRY_NAME_AT);
    return {
      name: bytes.utf8Slice(ENTRY_NAME_AT, bytes.length),
      inode: view.getBigUint64(2),
      kind: kindOf("fileEntry", view.getUint8(1)),
    };
  },
};

const firstInode = recordType<InodeRecord>("fileNode", 1);
const inodeRest = recordType<Pick<InodeRecord, "metadata" | "headers" | "lease" | "copy">>("fileNodeRest", 1);
const INODE_TEXTS_AT = 81;
const HAS_PERMISSION = 1;
const HAS_ACCESSED = 2;
const HAS_REST = 4;
const HAS_EAS = 8;
const NEEDS_EAS = 16;
const HAS_STREAMS = 128;
const EA_SIZE_BYTES = 4;

/**
 *   0 version 2   1 kind   2 flags (1 permission, 2 accessedAt, 4 rest, 8 extended attributes, 16 needs them,
 *   128 named streams)   3 attributes (4)   7 parent (8)   15 revision (8)   23 createdAt (8)
 *   31 writtenAt (8)   39 changedAt (8)   47 accessedAt (8, or 0)   55 size (8, floating)   63 content (8)
 *   71 dataRevision (8)   79 length of the name (2)   81 name, UTF-8
 *
 * Then, as the flags say: length of the permission's key (1) and the key; size of the extended attributes
 * (4); the rest, a record of its own with metadata, headers, lease and copy.
 */
export const inodeRecord = {
  pack(record: InodeRecord, since: Revision): Buffer {
    const { name, permission, accessedAt, metadata, headers, lease, copy, eaSize } = record;
    const hasRest =
      metadata !== undefined || headers !== undefined || lease !== undefined || copy !== undefined;
    const rest = hasRest ? inodeRest.pack(restOf(record)) : undefined;
    const nameBytes = Buffer.byteLength(name);
    const permissionBytes = permission === undefined ? 0 : 1 + permission.length;
    const textsAt = SINCE_BYTES + INODE_TEXTS_AT;
    const eaBytes = eaSize === undefined ? 0 : EA_SIZE_BYTES;
    const bytes = Buffer.allocUnsafe(textsAt + nameBytes + permissionBytes + eaBytes + (rest?.length ?? 0));
    view.setBigUint64(0, since);
    view.setUint8(8, FIXED);
    view.setUint8(9, record.kind === "file" ? 0 : 1);
    const has =
      (permission === undefined ? 0 : HAS_PERMISSION) |
      (accessedAt === undefined ? 0 : HAS_ACCESSED) |
      (hasRest ? HAS_REST : 0) |
      (eaSize === undefined ? 0 : HAS_EAS) |
      (record.needsEas === true ? NEEDS_EAS : 0) |
      (record.hasStreams === true ? HAS_STREAMS : 0);
    view.setUint8(10, has);
    view.setUint32(11, record.attributes);
    view.setBigUint64(15, record.parent);
    view.setBigUint64(23, record.revision);
    view.setBigInt64(31, record.createdAt);
    view.setBigInt64(39, record.writtenAt);
    view.setBigInt64(47, record.changedAt);
    view.setBigInt64(55, accessedAt ?? 0n);
    view.setFloat64(63, record.size);
    view.setBigUint64(71, record.content);
    view.setBigUint64(79, record.dataRevision);
    view.setUint16(87, nameBytes);
    viewed.copy(bytes, 0, 0, textsAt);
    bytes.utf8Write(name, textsAt);
    let at = textsAt + nameBytes;
    if (permission !== undefined) {
      bytes[at] = permission.length;
      bytes.latin1Write(permission, at + 1);
      at += permissionBytes;
    }
    if (eaSize !== undefined) at = bytes.writeUInt32BE(eaSize, at);
    if (rest !== undefined) bytes.set(rest, at);
    return bytes;
  },
  unpack(bytes: Buffer): InodeRecord {
    if (bytes[0] === 1) return firstInode.unpack(bytes);
    if (bytes[0] !== FIXED) refuseVersion("fileNode", bytes[0]);
    load("fileNode", bytes, INODE_TEXTS_AT);
    const has = view.getUint8(2);
    const nameEnd = INODE_TEXTS_AT + view.getUint16(79);
    const hasPermission = (has & HAS_PERMISSION) !== 0;
    const textsEnd = hasPermission ? nameEnd + 1 + (bytes[nameEnd] ?? 0) : nameEnd;
    const restAt = (has & HAS_EAS) === 0 ? textsEnd : textsEnd + EA_SIZE_BYTES;
    // Checked first: reading beyond the buffer would throw another error.
    if (restAt > bytes.length) throw new DamagedData("record of family fileNode ends inside a text");
    const record: { -readonly [Name in keyof InodeRecord]: InodeRecord[Name] } = {
      kind: kindOf("fileNode", view.getUint8(1)),
      parent: view.getBigUint64(7),
      name: bytes.utf8Slice(INODE_TEXTS_AT, nameEnd),
      revision: view.getBigUint64(15),
      attributes: view.getUint32(3),
      createdAt: view.getBigInt64(23),
      writtenAt: view.getBigInt64(31),
      changedAt: view.getBigInt64(39),
      size: view.getFloat64(55),
      content: view.getBigUint64(63),
      dataRevision: view.getBigUint64(71),
    };
    if (hasPermission) record.permission = bytes.latin1Slice(nameEnd + 1, textsEnd);
    if ((has & HAS_STREAMS) !== 0) record.hasStreams = true;
    if ((has & HAS_ACCESSED) !== 0) record.accessedAt = view.getBigInt64(47);
    if (restAt > textsEnd) record.eaSize = bytes.readUInt32BE(textsEnd);
    if ((has & NEEDS_EAS) !== 0) record.needsEas = true;
    if ((has & HAS_REST) !== 0) Object.assign(record, inodeRest.unpack(bytes.subarray(restAt)));
    else if (restAt < bytes.length) throw new DamagedData("record of family fileNode has trailing bytes");
    return record;
  },
  /** Whether it has extended attributes, without unpacking it. */
  hasEas(bytes: Buffer): boolean {
    return bytes[0] === FIXED && (bytes[2]! & HAS_EAS) !== 0;
  },
};

/** Without undefined fields, so that they are absent when the record is read. */
function restOf({ metadata, headers, lease, copy }: InodeRecord): Parameters<typeof inodeRest.pack>[0] {
  return {
    ...(metadata === undefined ? {} : { metadata }),
    ...(headers === undefined ? {} : { headers }),
    ...(lease === undefined ? {} : { lease }),
    ...(copy === undefined ? {} : { copy }),
  };
}

const sliced = recordType<RangeRecord>("fileRange", 1);

/** Inline bytes: 0 version 2, 1 the bytes. Slices: version 1. */
export const rangeRecord = {
  pack(record: RangeRecord, since: Revision): Buffer {
    const body = "inline" in record ? record.inline : sliced.pack(record);
    const bodyAt = "inline" in record ? SINCE_BYTES + 1 : SINCE_BYTES;
    const bytes = allocatePage(bodyAt + body.length);
    view.setBigUint64(0, since);
    view.setUint8(SINCE_BYTES, FIXED);
    viewed.copy(bytes, 0, 0, bodyAt);
    bytes.set(body, bodyAt);
    return bytes;
  },
  /** The bytes of a range are a view of `bytes`. */
  unpack(bytes: Buffer): RangeRecord {
    if (bytes[0] === FIXED) return { inline: bytes.subarray(1) };
    return sliced.unpack(bytes);
  },
};
