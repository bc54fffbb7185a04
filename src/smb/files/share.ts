import { usesOf, WRITE } from "../../concurrency/share-mode.ts";
import type { FileService } from "../../services/file/file-service.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { isOpenDenied } from "../../services/file/opens/look.ts";
import {
  type Disposition,
  openInode,
  type OpenRequest as ServiceOpen,
} from "../../services/file/opens/open-inode.ts";
import { findAt, readSnapshotTimes, readSpace } from "../../services/file/opens/share-facts.ts";
import type { ShareRecord } from "../../services/file/records.ts";
import type { Acls } from "../../services/file/security/acls.ts";
import type { FoundInode, Opened, OpenRequest, Share } from "../file-system.ts";
import { ACCESS, CREATE_ACTION, DISPOSITION } from "../wire/create.ts";
import { type FileTime, fileTimeOfTicks } from "../wire/filetime.ts";
import { STATUS } from "../wire/status.ts";
import { ServiceHandle } from "./handle.ts";
import { infoOf } from "./info.ts";
import type { PendingOpen, PendingOpens } from "./pending-opens.ts";
import { answered } from "./refusals.ts";
import { openInSnapshot } from "./snapshot-handle.ts";

const WRITES = ACCESS.WRITE_DATA | ACCESS.APPEND_DATA;

const DISPOSITIONS: Readonly<Record<number, Disposition>> = {
  [DISPOSITION.SUPERSEDE]: "supersede",
  [DISPOSITION.OPEN]: "open",
  [DISPOSITION.CREATE]: "create",
  [DISPOSITION.OPEN_IF]: "openIf",
  [DISPOSITION.OVERWRITE]: "overwrite",
  [DISPOSITION.OVERWRITE_IF]: "overwriteIf",
};

const ACTIONS = {
  superseded: CREATE_ACTION.SUPERSEDED,
  opened: CREATE_ACTION.OPENED,
  created: CREATE_ACTION.CREATED,
  overwritten: CREATE_ACTION.OVERWRITTEN,
} as const;

export interface FileSystemOptions {
  /** Named streams of files and directories; Azure Files has none. */
  readonly streams?: "refused" | "kept" | undefined;
  /** "enforced": security descriptors are evaluated for every open. "shown", the default: they deny nothing. */
  readonly acls?: "shown" | "enforced" | undefined;
}

export interface HandleTable {
  readonly inFlight: PendingOpens;
  /** Where they are enforced. */
  readonly lists: Acls | undefined;
  opened(handle: ServiceHandle): void;
  closed(handle: ServiceHandle): void;
}

/** A share of the file service, as a tree of SMB. */
export class ServiceShare implements Share {
  readonly name: string;
  readonly id: bigint;
  readonly createdAt: FileTime;
  readonly isDenied: ((request: OpenRequest) => Promise<boolean>) | undefined;
  readonly keepsStreams: boolean;
  readonly #files: FileService;
  readonly #ref: { readonly account: string; readonly share: string };
  readonly #handles: HandleTable;

  constructor(
    files: FileService,
    {
      account,
      name,
      record,
    }: { readonly account: string; readonly name: string; readonly record: ShareRecord },
    handles: HandleTable,
    { streams = "refused" }: FileSystemOptions,
  ) {
    this.#files = files;
    this.#ref = { account, share: name };
    this.name = name;
    this.keepsStreams = streams === "kept";
    this.id = record.id;
    // The id of a share is the revision it was made at.
    this.createdAt = fileTimeOfTicks(record.id);
    this.#handles = handles;
    if (handles.lists !== undefined)
      this.isDenied = (request) => answered(isOpenDenied(files, this.#wanted(request)));
  }

  async space(): Promise<{ readonly totalBytes: number; readonly freeBytes: number }> {
    const { quotaGib, usedBytes } = await answered(readSpace(this.#files, this.#ref));
    const totalBytes = quotaGib * FILE_LIMITS.quotaUnitBytes;
    return { totalBytes, freeBytes: Math.max(0, totalBytes - usedBytes) };
  }

  async snapshots(): Promise<readonly FileTime[]> {
    const times = await answered(readSnapshotTimes(this.#files, this.#ref));
    return times.map(fileTimeOfTicks).reverse();
  }

  find(path: readonly string[], stream?: string): Promise<FoundInode | undefined> {
    return answered(findAt(this.#files, { ...this.#ref, path }, stream));
  }

  async open(request: OpenRequest): Promise<Opened> {
    if (request.snapshot !== undefined)
      return openInSnapshot(this.#files, this.#ref, request, this.#handles.lists);
    const inFlight = this.#handles.inFlight.begin();
    try {
      return await this.#open(request, inFlight);
    } catch (error) {
      inFlight.fail();
      throw error;
    }
  }

  #wanted(request: OpenRequest): ServiceOpen {
    const { access, optionalAccess, client } = request;
    const { lists } = this.#handles;
    return {
      ref: { account: this.#ref.account, share: this.#ref.share, path: request.path },
      stream: request.stream,
      access: usesOf(access),
      optionalAccess: usesOf(optionalAccess),
      share: request.share,
      disposition: DISPOSITIONS[request.disposition]!,
      kind: request.kind,
      isDeleteOnClose: request.isDeleteOnClose,
      attributes: request.attributes,
      sddl: request.security,
      eas: request.extendedAttributes,
      ignoresEas: request.ignoresExtendedAttributes === true,
      rights: lists && { lists, access, optionalAccess },
      mayCache: request.mayCache,
      mayCommitAsync: !request.isWriteThrough,
      session: client.session,
      clientAddress: client.address,
      clientName: client.name,
    };
  }

  async #open(request: OpenRequest, inFlight: PendingOpen): Promise<Opened> {
    const { access, optionalAccess } = request;
    const own = {
      ResourceTypeMismatch:
        request.kind === "directory" ? STATUS.NOT_A_DIRECTORY : STATUS.FILE_IS_A_DIRECTORY,
      ShareNotFound: STATUS.NETWORK_NAME_DELETED,
      FileInvalidPermission: STATUS.INVALID_SECURITY_DESCR,
    };
    const opened = await answered(openInode(this.#files, this.#wanted(request)), own);
    const { record } = opened.opened;
    const isNew = opened.action !== "opened";
    const reservedBytes = isNew ? (request.allocationSize ?? 0) : 0;
    const handle = new ServiceHandle(this.#files, opened, reservedBytes, this.#handles);
    this.#handles.opened(handle);
    const mayWrite = (opened.access & WRITE) !== 0;
    return {
      handle,
      action: ACTIONS[opened.action],
      access: opened.granted?.access ?? access | (mayWrite ? optionalAccess : optionalAccess & ~WRITES),
      maximalAccess: opened.granted?.maximal,
      info: infoOf({ inode: opened.base ?? opened.inode, record, reservedBytes }),
      path: opened.path,
      stream: opened.stream,
      isBaseNew: opened.isBaseNew,
      mayCacheNow: () => inFlight.end(opened.share, opened.inode) && opened.isAlone,
    };
  }
}
