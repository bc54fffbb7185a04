import type { CacheConflict } from "../concurrency/cache-lease.ts";
import type { SecurityDescriptor } from "../services/file/security/security-descriptor.ts";
import type { ChangeHub } from "./session/change-notification.ts";
import type { ExtendedAttribute } from "./wire/extended-attributes.ts";
import type { FileTime } from "./wire/filetime.ts";

/**
 * What the commands need of the file service, and nothing of how it is done. The service decides: share modes,
 * byte-range locks, delete-pending and names are checked where they are kept, against SMB and REST alike. What only
 * SMB clients see of each other (oplocks, leases, change notification, waiting for a lock) lives in this folder.
 *
 * Every method refuses with a `StatusError` (or a `Refusal` of the catalogue that has an SMB status).
 */
export interface FileSystem {
  shares(account: string): Promise<readonly ShareEntry[]>;
  /** Names compare without regard to case. Undefined: there is no such share. */
  share(account: string, name: string): Promise<Share | undefined>;
  /** For file systems that others use too. Returns what ends it. */
  attach?(host: FileSystemHost): () => void;
}

/** What a file system tells the server of those others. */
export interface FileSystemHost {
  /** Force Close Handles has ended it: its client is to learn that it is closed. */
  handleEnded(share: bigint, handle: FileHandle): void;
  /** Somebody needs caches of a file gone. Undefined: nobody has to be waited for. */
  breakCaches(share: bigint, inode: bigint, conflict: CacheConflict): Promise<void> | undefined;
  /** Nobody else can see the handles any more: clients must not go on with what they have. */
  cutOff(): void;
  readonly changes: ChangeHub;
}

export interface ShareEntry {
  readonly name: string;
  readonly comment: string;
}

export interface Share {
  readonly name: string;
  /** Names the contents: a share deleted and made again is another one. */
  readonly id: bigint;
  readonly createdAt: FileTime;
  space(): Promise<{ readonly totalBytes: number; readonly freeBytes: number }>;
  /** Times of the share's snapshots, newest first. */
  snapshots(): Promise<readonly FileTime[]>;
  /** Files and directories may have named streams here. */
  readonly keepsStreams?: boolean;
  /** What is at a path now, or a named stream of that; undefined for nothing. A missing directory on the way is refused. */
  find(path: readonly string[], stream?: string): Promise<FoundInode | undefined>;
  open(request: OpenRequest): Promise<Opened>;
  /** Whether access lists keep an open from what is there now. Undefined: nothing is denied. */
  readonly isDenied?: ((request: OpenRequest) => Promise<boolean>) | undefined;
}

export interface FoundInode {
  readonly inode: bigint;
  /** Of a named stream: what it belongs to. */
  readonly base?: bigint;
  readonly kind: InodeKind;
}

export type InodeKind = "file" | "directory";

export interface OpenRequest {
  readonly path: readonly string[];
  readonly stream?: string | undefined;
  readonly snapshot: FileTime | undefined;
  /** Specific rights only: generic ones and MAXIMUM_ALLOWED have been resolved. */
  readonly access: number;
  /** Rights that are granted if nothing speaks against them, and left out otherwise. */
  readonly optionalAccess: number;
  readonly share: number;
  readonly disposition: number;
  /** What the client insists on. */
  readonly kind: InodeKind | undefined;
  readonly isDeleteOnClose: boolean;
  readonly attributes: number;
  readonly allocationSize: number | undefined;
  /** SDDL for a node that is created. */
  readonly security: string | undefined;
  /** Of a node that is created or overwritten: it has no others. */
  readonly extendedAttributes?: readonly ExtendedAttribute[] | undefined;
  /** The client knows nothing of them: what cannot be understood without them is not opened. */
  readonly ignoresExtendedAttributes?: boolean;
  /** The client asks for an oplock or a lease: what REST does to the file may have to be told to it. */
  readonly mayCache: boolean;
  /** The client wants what it creates on the disk when it is answered, not when it closes it. */
  readonly isWriteThrough: boolean;
  readonly client: ClientName;
}

/** Who has something open, as List Handles shows it. */
export interface ClientName {
  readonly session: bigint;
  readonly address: string;
  readonly name: string;
}

export interface Opened {
  readonly handle: FileHandle;
  readonly action: number;
  /** What was granted. */
  readonly access: number;
  /** All that could have been granted; undefined where that is everything. */
  readonly maximalAccess?: number | undefined;
  readonly info: FileInfo;
  /** As it is spelled in the share, whatever the client wrote; as it was asked for without it. */
  readonly path?: readonly string[];
  /** Of a named stream: its name as it is spelled. */
  readonly stream?: string | undefined;
  /** With the stream the file was created that it belongs to. */
  readonly isBaseNew?: boolean;
  /**
   * Whether the client may be given a cache as far as other nodes are concerned. To be asked once, in the turn of the
   * event loop in which it is given. Without it there are no other nodes.
   */
  mayCacheNow?(): boolean;
}

export interface FileInfo {
  readonly inode: bigint;
  readonly kind: InodeKind;
  readonly createdAt: FileTime;
  readonly accessedAt: FileTime;
  readonly writtenAt: FileTime;
  readonly changedAt: FileTime;
  readonly size: number;
  readonly allocationSize: number;
  readonly attributes: number;
  readonly isDeletePending: boolean;
  /** Of the extended attributes, as FileEaInformation counts them; 0 for none. */
  readonly eaSize: number;
}

/** Undefined leaves a value as it is; "hold" keeps this handle from moving the time, "resume" ends that. */
export type TimeChange = FileTime | "hold" | "resume" | undefined;

export interface InfoChange {
  readonly createdAt?: TimeChange;
  readonly accessedAt?: TimeChange;
  readonly writtenAt?: TimeChange;
  readonly changedAt?: TimeChange;
  readonly attributes?: number | undefined;
}

export interface LockRange {
  readonly offset: bigint;
  readonly length: bigint;
  readonly isExclusive: boolean;
}

export interface StreamEntry {
  /** Empty: the content of the file itself. */
  readonly name: string;
  readonly size: number;
  readonly allocationSize: number;
}

export interface FileHandle {
  readonly inode: bigint;
  /** Of a named stream: the file or directory it belongs to. */
  readonly base?: bigint | undefined;
  readonly kind: InodeKind;
  /** Another front end (Force Close Handles) may end a handle: the next use of it finds out here. */
  readonly isClosed: boolean;
  info(): Promise<FileInfo>;
  /** For the answer to CLOSE, which says nothing of a deletion that is pending. */
  infoAtClose(): Promise<FileInfo>;
  /** Fewer bytes at the end of the file, none past it. The caller does not change them, and gives them back. */
  read(offset: number, length: number): Promise<readonly Buffer[]>;
  /** `data` belongs to the file system until the promise resolves; what it keeps it copies. When `isDurable`, the promise waits for the disk. */
  write(offset: number, data: Buffer, isDurable: boolean): Promise<void>;
  /** Waits until all that was written is on the disk; throws if some of it never will be. */
  flush(): Promise<void>;
  /**
   * Ends the handle, its locks and share mode; removes the file, or the named stream, when that was due. True when it
   * was removed; "withFile" when with a named stream went the file it belonged to.
   */
  close(): Promise<boolean | "withFile">;
  change(change: InfoChange): Promise<void>;
  setEndOfFile(size: number): Promise<void>;
  /** Cuts off what lies beyond; more than there is only reserves. */
  setAllocation(size: number): Promise<void>;
  setDeletePending(isPending: boolean): Promise<void>;
  /** Resolves to the path as it is spelled from now on. */
  rename(path: readonly string[], isReplacing: boolean): Promise<readonly string[]>;
  /** The content of the file, and the named streams of the file or directory. Without it there are none of these. */
  streams?(): Promise<readonly StreamEntry[]>;
  /** Gives a named stream another name. */
  renameStream?(name: string, isReplacing: boolean): Promise<void>;
  /** Entries in a stable order, after the one named `after`; without `.` and `..`. */
  list(after: string | undefined, limit: number): Promise<readonly ListedEntry[]>;
  /** The parent's own entry, for `..`; undefined at the root. */
  parent(): Promise<FileInfo | undefined>;
  /** All or none, at once: LOCK_NOT_GRANTED when another lock is in the way. */
  lock(ranges: readonly LockRange[]): Promise<void>;
  /** Exactly one earlier lock: RANGE_NOT_LOCKED without it. */
  unlock(offset: bigint, length: bigint): Promise<void>;
  zero(from: number, to: number): Promise<void>;
  allocatedRanges(
    from: number,
    to: number,
  ): Promise<readonly { readonly from: number; readonly to: number }[]>;
  /** SDDL. */
  security(): Promise<string>;
  /** Takes the named parts (SECURITY_PART) from what is given. */
  setSecurity(given: SecurityDescriptor, parts: number): Promise<void>;
  /** In a stable order: one that is set comes last. */
  extendedAttributes(): Promise<readonly ExtendedAttribute[]>;
  /** Sets those that have a value and removes those that have none: all of it, or nothing. */
  setExtendedAttributes(changes: readonly ExtendedAttribute[]): Promise<void>;
}

export interface ListedEntry {
  readonly name: string;
  readonly info: FileInfo;
}
