import type { FileService } from "../../services/file/file-service.ts";
import { readParts } from "../../services/file/opens/held-content.ts";
import { readPastEas } from "../../services/file/opens/held-eas.ts";
import { listEntries } from "../../services/file/opens/held-properties.ts";
import {
  judgePast,
  listPastRanges,
  listPastStreams,
  openPast,
  type Past,
  readPastSecurity,
} from "../../services/file/opens/past-node.ts";
import type { AccessLists } from "../../services/file/security/access-lists.ts";
import type {
  FileHandle,
  FileInfo,
  ListedEntry,
  NodeKind,
  Opened,
  OpenRequest,
  StreamEntry,
} from "../file-system.ts";
import { refuse, STATUS } from "../status.ts";
import { ACCESS, CREATE_ACTION, DISPOSITION } from "../wire/create.ts";
import type { ExtendedAttribute } from "../wire/extended-attributes.ts";
import { ticksOfFileTime } from "../wire/filetime.ts";
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
export async function openInPast(
  files: FileService,
  share: { readonly account: string; readonly share: string },
  request: OpenRequest,
  lists: AccessLists | undefined,
): Promise<Opened> {
  const snapshot = ticksOfFileTime(request.snapshot!);
  const past = await answered(openPast(files, { ...share, snapshot, path: request.path }, request.stream));
  const mayOnlyRead = request.disposition === DISPOSITION.OPEN || request.disposition === DISPOSITION.OPEN_IF;
  if (!mayOnlyRead || request.isDeleteOnClose || (request.access & CHANGES) !== 0)
    throw refuse(STATUS.MEDIA_WRITE_PROTECTED);
  const { kind } = past.node.record;
  if (request.kind !== undefined && request.kind !== kind)
    throw refuse(request.kind === "file" ? STATUS.FILE_IS_A_DIRECTORY : STATUS.NOT_A_DIRECTORY);
  const optionalAccess = request.optionalAccess & ~CHANGES;
  const wish = { access: request.access, optionalAccess };
  const granted = lists && (await answered(judgePast(files, past, { lists, ...wish })));
  if (granted === "denied") throw refuse(STATUS.ACCESS_DENIED);
  const handle = new PastHandle(files, past, lists);
  const access = granted?.access ?? request.access | optionalAccess;
  const maximalAccess = granted && granted.maximal & ~CHANGES;
  const { stream } = request;
  return { handle, action: CREATE_ACTION.OPENED, access, maximalAccess, info: await handle.info(), stream };
}

/** The past is another file: who holds a cache of the present one is not disturbed by who looks back. */
function idInPast(node: bigint, { ref }: Past): bigint {
  return BigInt.asUintN(64, (node ^ (ref.snapshot! << 3n)) | (1n << 63n));
}

const PROTECTED = (): Promise<never> => Promise.reject(refuse(STATUS.MEDIA_WRITE_PROTECTED));

class PastHandle implements FileHandle {
  readonly node: bigint;
  readonly kind: NodeKind;
  isClosed = false;
  readonly #files: FileService;
  readonly #past: Past;
  readonly #lists: AccessLists | undefined;

  constructor(files: FileService, past: Past, lists: AccessLists | undefined) {
    this.#files = files;
    this.#lists = lists;
    this.#past = past;
    this.kind = past.node.record.kind;
    this.node = idInPast(past.node.id, past);
  }

  async info(): Promise<FileInfo> {
    return infoOf({ node: idInPast(this.#past.base.id, this.#past), record: this.#past.node.record });
  }

  infoAtClose(): Promise<FileInfo> {
    return this.info();
  }

  read(offset: number, length: number): Promise<readonly Buffer[]> {
    const part = { from: offset, to: offset + length };
    return answered(readParts(this.#files, part, (read) => this.#past.find(read)));
  }

  async list(after: string | undefined, limit: number): Promise<readonly ListedEntry[]> {
    const listed = await answered(
      this.#files.parts.store.read(async (read) => {
        const { share, view, node } = await this.#past.find(read);
        return listEntries(view, share.id, node.id, { after, limit });
      }),
    );
    return listed.map(({ entry, record }) => ({
      name: entry.name,
      info: infoOf({ node: idInPast(entry.node, this.#past), record }),
    }));
  }

  async parent(): Promise<FileInfo | undefined> {
    return this.info();
  }

  async streams(): Promise<readonly StreamEntry[]> {
    return streamEntriesOf(await answered(listPastStreams(this.#files, this.#past)));
  }

  allocatedRanges(from: number, to: number) {
    return answered(listPastRanges(this.#files, this.#past, { from, to }));
  }

  security(): Promise<string> {
    return answered(readPastSecurity(this.#files, this.#past, this.#lists));
  }

  extendedAttributes(): Promise<readonly ExtendedAttribute[]> {
    return answered(readPastEas(this.#files, this.#past));
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
