import { mayLock, mayOnlyAppend } from "../../concurrency/acl.ts";
import type { FileService } from "../../services/file/file-service.ts";
import { closeHandle, setDeletePending } from "../../services/file/handles.ts";
import { lockRanges, unlockRanges } from "../../services/file/locks.ts";
import type { FrozenTimes } from "../../services/file/opens/held.ts";
import {
  allocatedByHandle,
  infoByHandle,
  readByHandle,
  resizeByHandle,
  writeByHandle,
  zeroByHandle,
} from "../../services/file/opens/held-content.ts";
import { changeEasByHandle, readEasByHandle } from "../../services/file/opens/held-eas.ts";
import {
  changeByHandle,
  listByHandle,
  listStreamsByHandle,
  readParent,
  readPropertiesByHandle,
  readSecurity,
} from "../../services/file/opens/held-properties.ts";
import type { Handle, OpenedHandle } from "../../services/file/opens/open-inode.ts";
import { renameByHandle } from "../../services/file/opens/rename-held.ts";
import { renameStream } from "../../services/file/opens/rename-stream.ts";
import type { Acls } from "../../services/file/security/acls.ts";
import type { SecurityDescriptor } from "../../services/file/security/security-descriptor.ts";
import type {
  FileHandle,
  FileInfo,
  InfoChange,
  InodeKind,
  ListedEntry,
  LockRange,
  StreamEntry,
  TimeChange,
} from "../file-system.ts";
import { SMB_LIMITS } from "../limits.ts";
import { ATTRIBUTE } from "../wire/create.ts";
import type { ExtendedAttribute } from "../wire/extended-attributes.ts";
import { ticksOfFileTime } from "../wire/filetime.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { infoOf, streamEntriesOf } from "./info.ts";
import { answered, answerTo, BY_HANDLE } from "./refusals.ts";

type FrozenTimeName = "writtenAt" | "changedAt";

/** An open of the file service, as the commands use it. */
export class ServiceHandle implements FileHandle {
  readonly inode: bigint;
  readonly base: bigint | undefined;
  readonly kind: InodeKind;
  readonly handle: Handle;
  isClosed = false;
  readonly #files: FileService;
  readonly #table: { closed(handle: ServiceHandle): void; readonly lists: Acls | undefined };
  /** Times the client has set by this handle: what it does afterwards leaves them alone. */
  readonly #held = new Set<FrozenTimeName>();
  /** What access lists have granted; undefined where they are not enforced. */
  readonly #granted: number | undefined;
  #reservedBytes: number;
  /** Changes that were answered and may be on their way to the disk. */
  readonly #behind = new Set<() => Promise<void>>();

  constructor(
    files: FileService,
    opened: OpenedHandle,
    reservedBytes: number,
    table: { closed(handle: ServiceHandle): void; readonly lists: Acls | undefined },
  ) {
    this.#files = files;
    this.handle = opened;
    this.inode = opened.inode;
    this.base = opened.base;
    this.kind = opened.opened.record.kind;
    this.#reservedBytes = reservedBytes;
    this.#table = table;
    this.#granted = opened.granted?.access;
    if (opened.durable !== undefined) this.#behind.add(opened.durable);
  }

  async #run<T>(work: Promise<T>, own?: Readonly<Record<string, number>>): Promise<T> {
    try {
      return await answered(work, own === undefined ? BY_HANDLE : { ...BY_HANDLE, ...own });
    } catch (error) {
      if ((error as { status?: number }).status === STATUS.FILE_CLOSED) this.isClosed = true;
      throw error;
    }
  }

  get #times(): FrozenTimes {
    return { freezesWrittenAt: this.#held.has("writtenAt"), freezesChangedAt: this.#held.has("changedAt") };
  }

  async info(): Promise<FileInfo> {
    const { record, isDeletePending } = await this.#run(readPropertiesByHandle(this.#files, this.handle));
    return infoOf({
      inode: this.base ?? this.inode,
      record,
      isDeletePending,
      reservedBytes: this.#reservedBytes,
    });
  }

  async infoAtClose(): Promise<FileInfo> {
    const record = await this.#run(infoByHandle(this.#files, this.handle));
    return infoOf({ inode: this.base ?? this.inode, record, reservedBytes: this.#reservedBytes });
  }

  read(offset: number, length: number): Promise<readonly Buffer[]> {
    return this.#run(readByHandle(this.#files, this.handle, { offset, length }));
  }

  async write(offset: number, data: Buffer, isDurable: boolean): Promise<void> {
    const isAppending = this.#granted !== undefined && mayOnlyAppend(this.#granted);
    const write = {
      offset,
      data,
      times: this.#times,
      mayCommitAsync: !isDurable,
      mayOnlyAppend: isAppending,
    };
    const { durable } = await this.#run(writeByHandle(this.#files, this.handle, write));
    this.#behind.add(durable);
    // Enough to learn what became of them; a client that never flushes is not remembered for ever.
    if (this.#behind.size > SMB_LIMITS.writesBehindMax) await this.flush();
  }

  async flush(): Promise<void> {
    const behind = [...this.#behind];
    const ended = await Promise.allSettled(behind.map((durable) => durable()));
    // Not before: whoever else flushes meanwhile waits for the same ones.
    for (const durable of behind) this.#behind.delete(durable);
    const lost = ended.find((one) => one.status === "rejected");
    if (lost !== undefined) throw answerTo(lost.reason, BY_HANDLE);
  }

  async close(): Promise<boolean | "withFile"> {
    this.isClosed = true;
    this.#table.closed(this);
    const ended = await closeHandle(this.#files, this.handle);
    return ended === "withFile" ? ended : ended === "removed";
  }

  async change(change: InfoChange): Promise<void> {
    const changedAt = this.#settle("changedAt", change.changedAt);
    // Saying that the time shall stay, or may move again, moves it as little as a time that was set before.
    const freezesChangedAt = change.changedAt !== undefined || this.#held.has("changedAt");
    await this.#run(
      changeByHandle(this.#files, this.handle, {
        createdAt: ticksOf(change.createdAt),
        accessedAt: ticksOf(change.accessedAt),
        writtenAt: this.#settle("writtenAt", change.writtenAt),
        changedAt: changedAt ?? (freezesChangedAt ? "keep" : undefined),
        attributes: change.attributes,
      }),
    );
  }

  #settle(name: FrozenTimeName, value: TimeChange): bigint | undefined {
    if (value === undefined) return undefined;
    if (value === "resume") this.#held.delete(name);
    else this.#held.add(name);
    return ticksOf(value);
  }

  setEndOfFile(size: number): Promise<void> {
    this.#reservedBytes = 0;
    return this.#run(resizeByHandle(this.#files, this.handle, { size, times: this.#times }));
  }

  async setAllocation(size: number): Promise<void> {
    const { record } = await this.#run(readPropertiesByHandle(this.#files, this.handle));
    if (size < record.size) await this.setEndOfFile(size);
    this.#reservedBytes = size;
  }

  setDeletePending(isPending: boolean): Promise<void> {
    return this.#run(setDeletePending(this.#files, this.handle, isPending));
  }

  rename(path: readonly string[], isReplacing: boolean): Promise<readonly string[]> {
    const freezesChangedAt = this.#held.has("changedAt");
    // A path that leads nowhere is no sign that the handle is closed. What is going neither moves nor gives way: told
    // DELETE_PENDING, Linux says that there is no such file, to who has it open.
    const own = {
      ParentNotFound: STATUS.OBJECT_PATH_NOT_FOUND,
      SMBDeletePending: STATUS.ACCESS_DENIED,
    };
    const { lists } = this.#table;
    return this.#run(
      renameByHandle(this.#files, this.handle, { path, isReplacing, freezesChangedAt, lists }),
      own,
    );
  }

  async streams(): Promise<readonly StreamEntry[]> {
    return streamEntriesOf(await this.#run(listStreamsByHandle(this.#files, this.handle)));
  }

  renameStream(name: string, isReplacing: boolean): Promise<void> {
    return this.#run(renameStream(this.#files, this.handle, { name, isReplacing }));
  }

  async list(after: string | undefined, limit: number): Promise<readonly ListedEntry[]> {
    const listed = await this.#run(listByHandle(this.#files, this.handle, { after, limit }));
    return listed.map(({ entry, record }) => ({
      name: entry.name,
      info: infoOf({ inode: entry.inode, record }),
    }));
  }

  async parent(): Promise<FileInfo | undefined> {
    const parent = await this.#run(readParent(this.#files, this.handle));
    return parent && infoOf({ inode: parent.id, record: parent.record });
  }

  /** A lock keeps others from the content: it takes a right to that. */
  async lock(ranges: readonly LockRange[]): Promise<void> {
    if (this.#granted !== undefined && !mayLock(this.#granted)) throw refuse(STATUS.ACCESS_DENIED);
    const own = {
      FileLockConflict: STATUS.LOCK_NOT_GRANTED,
      TooManyOpenHandles: STATUS.INSUFFICIENT_RESOURCES,
    };
    return this.#run(lockRanges(this.#files, this.handle, ranges), own);
  }

  async unlock(offset: bigint, length: bigint): Promise<void> {
    const outcome = await this.#run(unlockRanges(this.#files, this.handle, [{ offset, length }]));
    if (outcome === "notLocked") throw refuse(STATUS.RANGE_NOT_LOCKED);
  }

  zero(from: number, to: number): Promise<void> {
    return this.#run(zeroByHandle(this.#files, this.handle, { from, to, times: this.#times }));
  }

  /** Only a file that calls itself sparse shows its holes. */
  async allocatedRanges(from: number, to: number) {
    const { attributes, size } = await this.info();
    if ((attributes & ATTRIBUTE.SPARSE) !== 0)
      return this.#run(allocatedByHandle(this.#files, this.handle, { from, to }));
    const end = Math.min(to, size);
    return from < end ? [{ from, to: end }] : [];
  }

  security(): Promise<string> {
    return this.#run(readSecurity(this.#files, this.handle, this.#table.lists));
  }

  setSecurity(given: SecurityDescriptor, parts: number): Promise<void> {
    const changedAt = this.#held.has("changedAt") ? "keep" : undefined;
    const own = { FileInvalidPermission: STATUS.INVALID_SECURITY_DESCR };
    const security = { given, parts, lists: this.#table.lists };
    return this.#run(changeByHandle(this.#files, this.handle, { security, changedAt }), own);
  }

  extendedAttributes(): Promise<readonly ExtendedAttribute[]> {
    return this.#run(readEasByHandle(this.#files, this.handle));
  }

  setExtendedAttributes(changes: readonly ExtendedAttribute[]): Promise<void> {
    const freezesChangedAt = this.#held.has("changedAt");
    return this.#run(changeEasByHandle(this.#files, this.handle, { changes, freezesChangedAt }));
  }
}

function ticksOf(value: TimeChange): bigint | undefined {
  return typeof value === "bigint" ? ticksOfFileTime(value) : undefined;
}
