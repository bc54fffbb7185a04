import type { FileService } from "../../services/file/file-service.ts";
import { readParts } from "../../services/file/opens/held-content.ts";
import { readSnapshotEas } from "../../services/file/opens/held-eas.ts";
import { listEntries } from "../../services/file/opens/held-properties.ts";
import {
  judgeSnapshotOpen,
  listSnapshotRanges,
  listSnapshotStreams,
  openSnapshotInode,
  readSnapshotSecurity,
  type SnapshotInode,
} from "../../services/file/opens/past-node.ts";
import type { Acls } from "../../services/file/security/acls.ts";
import type {
  FileHandle,
  FileInfo,
  InodeKind,
  ListedEntry,
  Opened,
  OpenRequest,
  StreamEntry,
} from "../file-system.ts";
import { ACCESS, CREATE_ACTION, DISPOSITION } from "../wire/create.ts";
import type { ExtendedAttribute } from "../wire/extended-attributes.ts";
import { ticksOfFileTime } from "../wire/filetime.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { infoOf, streamEntriesOf } from "./info.ts";
import { answered } from "./refusals.ts";

const CHANGES =
  ACCESS.WRITE_DATA |
  ACCESS.APPEND_DATA |
  ACCESS.WRITE_EA |
  ACCESS.WRITE_ATTRIBUTES |
  ACCESS.DELETE |
  ACCESS.DELETE_CHILD |
  ACCESS.WRITE_DAC |
  ACCESS.WRITE_OWNER;

/** Opens a file or directory as a share snapshot has it: to be read, by everybody at once. */
export async function openInSnapshot(
  files: FileService,
  share: { readonly account: string; readonly share: string },
  request: OpenRequest,
  lists: Acls | undefined,
): Promise<Opened> {
  const snapshotTicks = ticksOfFileTime(request.snapshot!);
  const snapshot = await answered(
    openSnapshotInode(files, { ...share, snapshot: snapshotTicks, path: request.path }, request.stream),
  );
  const mayOnlyRead = request.disposition === DISPOSITION.OPEN || request.disposition === DISPOSITION.OPEN_IF;
  if (!mayOnlyRead || request.isDeleteOnClose || (request.access & CHANGES) !== 0)
    throw refuse(STATUS.MEDIA_WRITE_PROTECTED);
  const { kind } = snapshot.inode.record;
  if (request.kind !== undefined && request.kind !== kind)
    throw refuse(request.kind === "file" ? STATUS.FILE_IS_A_DIRECTORY : STATUS.NOT_A_DIRECTORY);
  const optionalAccess = request.optionalAccess & ~CHANGES;
  const wanted = { access: request.access, optionalAccess };
  const granted = lists && (await answered(judgeSnapshotOpen(files, snapshot, { lists, ...wanted })));
  if (granted === "denied") throw refuse(STATUS.ACCESS_DENIED);
  const handle = new SnapshotHandle(files, snapshot, lists);
  const access = granted?.access ?? request.access | optionalAccess;
  const maximalAccess = granted && granted.maximal & ~CHANGES;
  const { stream } = request;
  return { handle, action: CREATE_ACTION.OPENED, access, maximalAccess, info: await handle.info(), stream };
}

/** The past is another file: who holds a cache of the present one is not disturbed by who looks back. */
function idInSnapshot(inode: bigint, { ref }: SnapshotInode): bigint {
  return BigInt.asUintN(64, (inode ^ (ref.snapshot! << 3n)) | (1n << 63n));
}

const PROTECTED = (): Promise<never> => Promise.reject(refuse(STATUS.MEDIA_WRITE_PROTECTED));

class SnapshotHandle implements FileHandle {
  readonly inode: bigint;
  readonly kind: InodeKind;
  isClosed = false;
  readonly #files: FileService;
  readonly #snapshot: SnapshotInode;
  readonly #lists: Acls | undefined;

  constructor(files: FileService, snapshot: SnapshotInode, lists: Acls | undefined) {
    this.#files = files;
    this.#lists = lists;
    this.#snapshot = snapshot;
    this.kind = snapshot.inode.record.kind;
    this.inode = idInSnapshot(snapshot.inode.id, snapshot);
  }

  async info(): Promise<FileInfo> {
    return infoOf({
      inode: idInSnapshot(this.#snapshot.base.id, this.#snapshot),
      record: this.#snapshot.inode.record,
    });
  }

  infoAtClose(): Promise<FileInfo> {
    return this.info();
  }

  read(offset: number, length: number): Promise<readonly Buffer[]> {
    const part = { from: offset, to: offset + length };
    return answered(readParts(this.#files, part, (read) => this.#snapshot.find(read)));
  }

  async list(after: string | undefined, limit: number): Promise<readonly ListedEntry[]> {
    const listed = await answered(
      this.#files.parts.store.read(async (read) => {
        const { share, view, inode } = await this.#snapshot.find(read);
        return listEntries(view, share.id, inode.id, { after, limit });
      }),
    );
    return listed.map(({ entry, record }) => ({
      name: entry.name,
      info: infoOf({ inode: idInSnapshot(entry.inode, this.#snapshot), record }),
    }));
  }

  async parent(): Promise<FileInfo | undefined> {
    return this.info();
  }

  async streams(): Promise<readonly StreamEntry[]> {
    return streamEntriesOf(await answered(listSnapshotStreams(this.#files, this.#snapshot)));
  }

  allocatedRanges(from: number, to: number) {
    return answered(listSnapshotRanges(this.#files, this.#snapshot, { from, to }));
  }

  security(): Promise<string> {
    return answered(readSnapshotSecurity(this.#files, this.#snapshot, this.#lists));
  }

  extendedAttributes(): Promise<readonly ExtendedAttribute[]> {
    return answered(readSnapshotEas(this.#files, this.#snapshot));
  }

  async flush(): Promise<void> {}

  async close(): Promise<boolean> {
    this.isClosed = true;
    return false;
  }

  /** Nothing changes, so there is nothing to keep others from. */
  async lock(): Promise<void> {}

  async unlock(): Promise<void> {}

  write = PROTECTED;
  change = PROTECTED;
  setEndOfFile = PROTECTED;
  setAllocation = PROTECTED;
  setDeletePending = PROTECTED;
  rename = PROTECTED;
  renameStream = PROTECTED;
  zero = PROTECTED;
  setSecurity = PROTECTED;
  setExtendedAttributes = PROTECTED;
}
