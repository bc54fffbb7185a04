import type { OpenFile } from "../../services/file/open-file.ts";
import type { Pipe } from "../rpc/pipe.ts";
import type { SequencedOpen } from "../transport/channel-sequence.ts";
import type { FileTime } from "../wire/filetime.ts";
import type { FileId } from "../wire/layout.ts";
import type { CacheEntry, OpenInode } from "./caches.ts";
import type { Watch } from "./change-notification.ts";
import type { FileInfo } from "./file-info.ts";
import type { Session, Tree } from "./session.ts";

export interface ListedEntry {
  readonly name: string;
  readonly info: FileInfo;
}

/** The position of a directory listing. The pattern stays until the client restarts the scan. */
export interface Scan {
  readonly pattern: string;
  readonly matches: (name: string) => boolean;
  /** The last name read from the directory. */
  after: string | undefined;
  /** 0: `.` is next, 1: `..`, 2: the entries. */
  dots: number;
  /** Entries that were read, and did not fit into the last reply. */
  unsent: ListedEntry[];
  isAtEnd: boolean;
}

/** How a client reconnects to an open after its connection was lost. */
export interface Durability {
  readonly kind: "v1" | "v2";
  readonly createGuid: Buffer | undefined;
  readonly timeoutMillis: number;
}

interface OpenBase {
  /** The volatile half changes when the client reconnects. */
  fileId: FileId;
  tree: Tree;
  session: Session;
}

/** A request that uses an open. */
export interface InFlightRequest {
  /** Not 0 when it waits for another client. */
  readonly asyncId: bigint;
  whenDone(): Promise<void>;
}

export interface PipeOpen extends OpenBase {
  readonly pipe: Pipe;
  readonly file: undefined;
}

/** The protocol's state of an open file or directory ([MS-SMB2] 3.3.1.10). */
export interface Open extends OpenBase, SequencedOpen {
  readonly pipe: undefined;
  readonly file: OpenFile;
  /** State that opens of the same inode share; undefined once the open has ended. */
  inode: OpenInode | undefined;
  /** Changes with a rename, as does `stream`. */
  path: readonly string[];
  stream: string | undefined;
  readonly access: number;
  /** The maximum that could have been granted. */
  readonly maximalAccess: number;
  readonly shareAccess: number;
  readonly createOptions: number;
  isDeleteOnClose: boolean;
  position: bigint;
  /** How many extended attributes a scan has returned. */
  eaPosition: number;
  mode: number;
  scan: Scan | undefined;
  /** Listings through one handle run in sequence: they share a position. */
  scanning: Promise<unknown>;
  watch: Watch | undefined;
  cache: CacheEntry | undefined;
  durability: Durability | undefined;
  readonly lockSequences: Map<number, number>;
  lockCount: number;
  /** LOCK requests that wait; closing the handle ends them. */
  readonly blockedLocks: Set<(status: number) => void>;
  /** Requests that use it and do not wait for other clients. */
  readonly inFlight: Set<InFlightRequest>;
  /** The last write time in the reply to CREATE, until the first write. */
  shownWriteTime: FileTime | undefined;
  /** See src/smb/session/write-times.ts. */
  hasPendingWriteNotice: boolean;
  hasNotifiedWrite: boolean;
  /** The client has set the last write time itself. */
  isWriteTimeFrozen: boolean;
  readonly appInstance: Buffer | undefined;
  /** The key of its CREATE in `CreateReplays`. */
  createName: string | undefined;
}

export type AnyOpen = PipeOpen | Open;
