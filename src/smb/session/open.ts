import type { FileHandle, ListedEntry } from "../file-system.ts";
import type { Pipe } from "../rpc/pipe.ts";
import type { SequencedOpen } from "../transport/channel-sequence.ts";
import type { Request } from "../transport/request.ts";
import type { FileTime } from "../wire/filetime.ts";
import type { FileId } from "../wire/layout.ts";
import type { CacheEntry, OpenInode } from "./caches.ts";
import type { Watch } from "./change-notification.ts";
import type { Session, Tree } from "./session.ts";

/** Where a listing of a directory stands: its pattern sticks, and so do the entries that were read ahead. */
export interface Scan {
  readonly pattern: string;
  readonly matches: (name: string) => boolean;
  /** The last name taken from the file system. */
  after: string | undefined;
  /** 0: `.` is next, 1: `..`, 2: the entries. */
  dots: number;
  /** Read, and not yet sent because the reply was full. */
  waiting: ListedEntry[];
  isAtEnd: boolean;
}

/** What a client reconnects a handle by after its connection was lost. */
export interface Durability {
  readonly kind: "v1" | "v2";
  readonly createGuid: Buffer | undefined;
  readonly timeoutMillis: number;
}

interface OpenBase {
  /** The volatile half changes when the open is reconnected. */
  fileId: FileId;
  tree: Tree;
  session: Session;
}

export interface PipeOpen extends OpenBase {
  readonly pipe: Pipe;
  readonly file: undefined;
}

export interface FileOpen extends OpenBase, SequencedOpen {
  readonly pipe: undefined;
  readonly file: FileHandle;
  /** What SMB clients share of the file; undefined once the open has ended. */
  inode: OpenInode | undefined;
  /** Names from the root of the share down; changes with a rename. */
  path: readonly string[];
  /** Of a named stream: its name. */
  stream: string | undefined;
  readonly access: number;
  /** All that could have been granted when it was opened. */
  readonly maximalAccess: number;
  readonly shareAccess: number;
  readonly createOptions: number;
  isDeleteOnClose: boolean;
  position: bigint;
  /** How many extended attributes a scan of them has told. */
  eaPosition: number;
  mode: number;
  scan: Scan | undefined;
  /** Listings of one handle run one after the other: they share a position. */
  scanning: Promise<unknown>;
  watch: Watch | undefined;
  cache: CacheEntry | undefined;
  durability: Durability | undefined;
  readonly lockSequences: Map<number, number>;
  lockCount: number;
  /** LOCK requests that wait; closing the handle ends them. */
  readonly blockedLocks: Set<(status: number) => void>;
  /** Requests that use it now and end by themselves. */
  readonly inFlight: Set<Request>;
  hasWritten: boolean;
  /** The file's time of the last write as this handle was told it, if nothing has moved it since. */
  shownWriteTime: FileTime | undefined;
  /** See src/smb/session/write-times.ts. */
  hasPendingWriteNotice: boolean;
  hasNotifiedWrite: boolean;
  /** The client has set the time itself. */
  isWriteTimeFrozen: boolean;
  /** What its CREATE did, for the answer to a replay. */
  readonly action: number;
  readonly appInstance: Buffer | undefined;
  /** The id its CREATE came with, as it is known to `CreateReplays`. */
  createName: string | undefined;
}

export type Open = PipeOpen | FileOpen;
