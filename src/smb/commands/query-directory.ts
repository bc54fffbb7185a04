import type { FileInfo, ListedEntry } from "../file-system.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { FileOpen, Scan } from "../session/open.ts";
import type { Reply, Request } from "../transport/request.ts";
import { ACCESS } from "../wire/create.ts";
import { encodeOutputHead, QUERY_DIRECTORY_FLAG, queryDirectoryRequest } from "../wire/directory.ts";
import { type DirectoryEntry, DirectoryPage, directoryLayout } from "../wire/directory-entry.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { textOf } from "../wire/text.ts";
import { matcherOf } from "../wire/wildcard.ts";
import { need } from "./rights.ts";

const OUTPUT_BYTES_MIN = 9;

export async function queryDirectory(request: Request): Promise<Reply> {
  const body = queryDirectoryRequest.decode(request.pdu);
  const open = request.file(body.fileId, STATUS.INVALID_PARAMETER);
  if (open.file.kind !== "directory") throw refuse(STATUS.INVALID_PARAMETER);
  if (body.outputBufferLength > SMB_LIMITS.transactBytesMax || body.outputBufferLength < OUTPUT_BYTES_MIN)
    throw refuse(STATUS.INVALID_PARAMETER);
  request.checkCharge(body.outputBufferLength);
  directoryLayout(body.informationClass);
  need(open, ACCESS.READ_DATA);
  const turn = open.scanning.then(async () => {
    await request.reserveReply(body.outputBufferLength);
    return await scan(open, body, textOf(body.pattern));
  });
  open.scanning = turn.catch(() => {});
  return await turn;
}

async function scan(
  open: FileOpen,
  body: { readonly flags: number; readonly informationClass: number; readonly outputBufferLength: number },
  pattern: string,
): Promise<Reply> {
  const isRestart = (body.flags & (QUERY_DIRECTORY_FLAG.RESTART_SCANS | QUERY_DIRECTORY_FLAG.REOPEN)) !== 0;
  const isFirst = open.scan === undefined;
  if (open.scan === undefined || isRestart) {
    if (/[\\/]/.test(pattern)) throw refuse(STATUS.OBJECT_NAME_INVALID);
    // Who gives none means what was looked for before, or everything ([MS-FSA] 2.1.5.6.3).
    open.scan = newScan(pattern === "" ? (open.scan?.pattern ?? "*") : pattern);
  }
  const state = open.scan;
  const page = new DirectoryPage(body.informationClass, body.outputBufferLength);
  const isSingle = (body.flags & QUERY_DIRECTORY_FLAG.RETURN_SINGLE_ENTRY) !== 0;
  while (await readAhead(open, state)) {
    const taken = fill(page, state.waiting, isSingle);
    state.waiting = taken < state.waiting.length ? state.waiting.slice(taken) : [];
    // Something is left because the page is full, or because one entry was asked for.
    if (state.waiting.length > 0 || (isSingle && taken > 0)) break;
  }
  if (page.isEmpty && state.waiting.length > 0) throw refuse(STATUS.INFO_LENGTH_MISMATCH);
  if (page.isEmpty) throw refuse(isFirst ? STATUS.NO_SUCH_FILE : STATUS.NO_MORE_FILES);
  const output = page.bytes();
  return { status: STATUS.SUCCESS, body: encodeOutputHead(output.length), payload: [output] };
}

function newScan(pattern: string): Scan {
  const matches = matcherOf(pattern);
  return { pattern, matches, after: undefined, dots: 0, waiting: [], isAtEnd: false };
}

/** How many of the entries fit, one at most when only one was asked for. */
function fill(page: DirectoryPage, entries: readonly ListedEntry[], isSingle: boolean): number {
  const count = isSingle ? 1 : entries.length;
  for (let index = 0; index < count; index++) {
    const { name, info } = entries[index]!;
    if (!page.add(entryOf(name, info))) return index;
  }
  return count;
}

/** Sees to it that entries wait to be sent; false at the end of the directory. */
async function readAhead(open: FileOpen, scan: Scan): Promise<boolean> {
  while (scan.waiting.length === 0) {
    if (scan.dots < 2) {
      const name = scan.dots++ === 0 ? "." : "..";
      if (!scan.matches(name)) continue;
      const info = await open.file.info();
      const parent = name === "." ? undefined : await open.file.parent();
      scan.waiting = [{ name, info: parent ?? info }];
      continue;
    }
    if (scan.isAtEnd) return false;
    const listed = await open.file.list(scan.after, SMB_LIMITS.directoryEntriesPerStep);
    scan.after = listed.at(-1)?.name ?? scan.after;
    scan.isAtEnd = listed.length < SMB_LIMITS.directoryEntriesPerStep;
    scan.waiting = listed.filter(({ name }) => scan.matches(name));
  }
  return true;
}

function entryOf(name: string, info: FileInfo): DirectoryEntry {
  return {
    name,
    fileId: info.inode,
    creationTime: info.createdAt,
    lastAccessTime: info.accessedAt,
    lastWriteTime: info.writtenAt,
    changeTime: info.changedAt,
    endOfFile: BigInt(info.size),
    allocationSize: BigInt(info.allocationSize),
    attributes: info.attributes,
    eaSize: info.eaSize,
  };
}
