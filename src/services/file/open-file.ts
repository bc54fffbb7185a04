import { Refusal } from "../../base/refusals.ts";
import { mayLock, mayOnlyAppend } from "../../concurrency/acl.ts";
import type { ByteRange, Lock } from "../../concurrency/byte-range-lock.ts";
import type { Access } from "../../concurrency/share-mode.ts";
import type { InodeRecord } from "../../store/records/file.ts";
import type { EaRecord } from "./extended-attributes.ts";
import type { FileService } from "./file-service.ts";
import { type Ended, endHandle, setDeletePending } from "./handles.ts";
import type { Inode } from "./inodes.ts";
import { FILE_LIMITS } from "./limits.ts";
import type { ListedInode } from "./list-directory.ts";
import { lockRanges, unlockRange } from "./locks.ts";
import type { SnapshotRef } from "./names.ts";
import {
  allocatedByHandle,
  readByHandle,
  resizeByHandle,
  type Span,
  type WriteByHandle,
  writeByHandle,
  zeroByHandle,
} from "./opens/content-by-handle.ts";
import type { FrozenTimes } from "./opens/find-by-handle.ts";
import type { HandleId } from "./opens/open-request.ts";
import type { Granted } from "./opens/open-rights.ts";
import {
  changeByHandle,
  changeEasByHandle,
  type DirectoryPage,
  isDeletePendingByHandle,
  listByHandle,
  listStreamsByHandle,
  readEasByHandle,
  readParentByHandle,
  readRecordByHandle,
  readSecurityByHandle,
  type SecurityChange,
} from "./opens/properties-by-handle.ts";
import {
  type RenameByHandle,
  type RenameStream,
  renameByHandle,
  renameStreamByHandle,
} from "./opens/rename-by-handle.ts";
import type { Acls } from "./security/acls.ts";
import type { StreamList } from "./streams.ts";

/** What an open found or did. */
export interface OpenState {
  /** As the share spells it, whatever the client wrote. */
  readonly path: readonly string[];
  readonly stream: string | undefined;
  /** The file of the stream was created with it. */
  readonly isBaseNew: boolean;
  readonly record: InodeRecord;
  readonly action: "opened" | "created" | "overwritten" | "superseded";
  readonly access: Access;
  /** What ACLs granted; undefined where they are not enforced, as `acls` is. */
  readonly granted: Granted | undefined;
  readonly acls: Acls | undefined;
  /** No other process had the file open in a way that matters to caches. */
  readonly isAlone: boolean;
  /** Allocation that the client requested beyond the size. */
  readonly reservedBytes: number;
  /** Waits until what was created or overwritten is durable. */
  readonly durable: (() => Promise<void>) | undefined;
}

/** Undefined keeps a time. "freeze": later changes through this handle keep it too, until "resume". */
export type TimeChange = bigint | "freeze" | "resume" | undefined;

/** Times in ticks. */
export interface PropertiesChange {
  readonly createdAt?: TimeChange;
  readonly accessedAt?: TimeChange;
  readonly writtenAt?: TimeChange;
  readonly changedAt?: TimeChange;
  readonly attributes?: number | undefined;
}

export interface FileProperties {
  /** Of a named stream: with the times and attributes of its file or directory. */
  readonly record: InodeRecord;
  readonly isDeletePending: boolean;
  readonly reservedBytes: number;
}

/**
 * An open file or directory, or a named stream of one, with all state of the open. Each method refuses with
 * ResourceNotFound once the handle is closed, also by Force Close Handles.
 *
 * An open in a share snapshot (`ref.snapshot`) only reads: it has no handle in the store, locks nothing, and
 * refuses changes with ShareSnapshotOperationNotSupported.
 */
export class OpenFile implements HandleId {
  readonly ref: SnapshotRef;
  readonly share: bigint;
  readonly inode: bigint;
  readonly id: bigint;
  readonly base: bigint | undefined;
  readonly kind: InodeRecord["kind"];
  readonly opened: OpenState;
  isClosed = false;
  readonly #files: FileService;
  readonly #frozen: FrozenTimes = { writtenAt: false, changedAt: false };
  #reservedBytes: number;
  /** Commits that were answered and may not be durable yet. */
  readonly #unsynced = new Set<() => Promise<void>>();

  constructor(files: FileService, { ref, share, inode, id, base }: HandleId, opened: OpenState) {
    this.#files = files;
    this.ref = ref;
    this.share = share;
    this.inode = inode;
    this.id = id;
    this.base = base;
    this.kind = opened.record.kind;
    this.opened = opened;
    this.#reservedBytes = opened.reservedBytes;
    if (opened.durable !== undefined) this.#unsynced.add(opened.durable);
    if (ref.snapshot === undefined) files.openFiles.set(id, this);
  }

  get action(): OpenState["action"] {
    return this.opened.action;
  }

  async #run<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof Refusal && error.code === "ResourceNotFound") this.isClosed = true;
      throw error;
    }
  }

  /** The handle, of an open that may change something. */
  get #writable(): HandleId {
    if (this.ref.snapshot !== undefined) throw new Refusal("ShareSnapshotOperationNotSupported");
    return this;
  }

  async properties(): Promise<FileProperties> {
    const isDeletePending = await this.#run(isDeletePendingByHandle(this.#files, this));
    return { record: await this.record(), isDeletePending, reservedBytes: this.#reservedBytes };
  }

  /** The properties for the reply to CLOSE, which does not report a pending deletion. */
  async propertiesAtClose(): Promise<FileProperties> {
    return { record: await this.record(), isDeletePending: false, reservedBytes: this.#reservedBytes };
  }

  record(): Promise<InodeRecord> {
    return this.#run(readRecordByHandle(this.#files, this));
  }

  /** Fewer bytes at the end of the file, none beyond it. The caller releases the buffers unchanged. */
  read(span: Span): Promise<readonly Buffer[]> {
    return this.#run(readByHandle(this.#files, this, span));
  }

  async write(write: WriteByHandle): Promise<void> {
    const { granted } = this.opened;
    const isAppendOnly = granted !== undefined && mayOnlyAppend(granted.access);
    const at = { frozen: this.#frozen, isAppendOnly };
    const { durable } = await this.#run(writeByHandle(this.#files, this.#writable, write, at));
    this.#unsynced.add(durable);
    // A limit on commits in memory, for a client that never flushes.
    if (this.#unsynced.size > FILE_LIMITS.unsyncedPerHandleMax) await this.flush();
  }

  /** Waits until every write is durable; throws if one failed after it was answered. */
  async flush(): Promise<void> {
    const unsynced = [...this.#unsynced];
    const results = await Promise.allSettled(unsynced.map((durable) => durable()));
    // Not earlier: a second flush waits for the same commits.
    for (const durable of unsynced) this.#unsynced.delete(durable);
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  /** Ends the handle, its locks and share mode. The last handle removes a delete-pending file or stream. */
  async close(): Promise<Ended> {
    this.isClosed = true;
    if (this.ref.snapshot !== undefined) return "closed";
    this.#files.openFiles.delete(this.id);
    return endHandle(this.#files, this, { isForced: false });
  }

  change({ createdAt, accessedAt, writtenAt, changedAt, attributes }: PropertiesChange): Promise<void> {
    // A client that sets, freezes or resumes the change time does not move it to now by that.
    const keepsChangedAt = changedAt !== undefined || this.#frozen.changedAt;
    const change = {
      createdAt: ticksOf(createdAt),
      accessedAt: ticksOf(accessedAt),
      writtenAt: this.#setFrozen("writtenAt", writtenAt),
      changedAt: this.#setFrozen("changedAt", changedAt) ?? (keepsChangedAt ? ("keep" as const) : undefined),
      attributes,
    };
    return this.#run(changeByHandle(this.#files, this.#writable, change, undefined));
  }

  #setFrozen(name: keyof FrozenTimes, value: TimeChange): bigint | undefined {
    if (value !== undefined) this.#frozen[name] = value !== "resume";
    return ticksOf(value);
  }

  resize(size: number): Promise<void> {
    this.#reservedBytes = 0;
    return this.#run(resizeByHandle(this.#files, this.#writable, size, this.#frozen));
  }

  /** Truncates to an allocation below the size; one above it is only noted. */
  async setAllocation(bytes: number): Promise<void> {
    if (bytes < (await this.record()).size) await this.resize(bytes);
    this.#reservedBytes = bytes;
  }

  setDeletePending(isPending: boolean): Promise<void> {
    return this.#run(setDeletePending(this.#files, this.#writable, isPending));
  }

  /** Resolves to the new path, with each name as the share spells it. */
  rename(rename: RenameByHandle): Promise<readonly string[]> {
    const at = { acls: this.opened.acls, isChangedAtFrozen: this.#frozen.changedAt };
    return this.#run(renameByHandle(this.#files, this.#writable, rename, at));
  }

  renameStream(rename: RenameStream): Promise<void> {
    return this.#run(renameStreamByHandle(this.#files, this.#writable, rename));
  }

  /** The file or directory, and its named streams. */
  streams(): Promise<StreamList> {
    return this.#run(listStreamsByHandle(this.#files, this));
  }

  list(page: DirectoryPage): Promise<readonly ListedInode[]> {
    return this.#run(listByHandle(this.#files, this, page));
  }

  /** The parent directory; undefined at the root. */
  parent(): Promise<Inode | undefined> {
    return this.#run(readParentByHandle(this.#files, this));
  }

  /** Places all locks or none (FileLockConflict). A lock needs a right to read or write the content. */
  async lock(locks: readonly Lock[]): Promise<void> {
    const { granted } = this.opened;
    if (this.ref.snapshot !== undefined) return;
    if (granted !== undefined && !mayLock(granted.access))
      throw new Refusal("AuthorizationPermissionMismatch");
    await this.#run(lockRanges(this.#files, this, locks));
  }

  /** Exactly one earlier lock. */
  async unlock(range: ByteRange): Promise<"unlocked" | "notLocked"> {
    return this.ref.snapshot === undefined ? this.#run(unlockRange(this.#files, this, range)) : "unlocked";
  }

  /** Makes a hole. */
  zero(span: Span): Promise<void> {
    return this.#run(zeroByHandle(this.#files, this.#writable, span, this.#frozen));
  }

  allocatedRanges(span: Span): Promise<readonly Span[]> {
    return this.#run(allocatedByHandle(this.#files, this, span));
  }

  /** SDDL. */
  security(): Promise<string> {
    return this.#run(readSecurityByHandle(this.#files, this, this.opened.acls));
  }

  setSecurity(security: SecurityChange): Promise<void> {
    const changedAt = this.#frozen.changedAt ? ("keep" as const) : undefined;
    const change = { security, changedAt };
    return this.#run(changeByHandle(this.#files, this.#writable, change, this.opened.acls));
  }

  /** In a stable order: one that is set comes last. */
  extendedAttributes(): Promise<readonly EaRecord[]> {
    return this.#run(readEasByHandle(this.#files, this));
  }

  /** Sets the attributes that have a value and removes the others: all of them, or none. */
  setExtendedAttributes(changes: readonly EaRecord[]): Promise<void> {
    return this.#run(changeEasByHandle(this.#files, this.#writable, changes, this.#frozen.changedAt));
  }
}

function ticksOf(value: TimeChange): bigint | undefined {
  return typeof value === "bigint" ? value : undefined;
}
