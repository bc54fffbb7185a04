import { SMB_LIMITS } from "../limits.ts";
import { type FileInfo, infoOfInode, readInfo } from "../session/file-info.ts";
import type { ListedEntry, Open, Scan } from "../session/open.ts";
import type { Reply, Request } from "../transport/request.ts";
import { ACCESS } from "../wire/create.ts";
import { encodeOutputHead, QUERY_DIRECTORY_FLAG, queryDirectoryRequest } from "../wire/directory.ts";
import { type DirectoryEntry, DirectoryPage, directoryLayout } from "../wire/directory-entry.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { textOf } from "../wire/text.ts";
import { matcherOf } from "../wire/wildcard.ts";
import { timesAndSizes } from "./close.ts";
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
  const scanned = open.scanning.then(async () => {
    await request.reserveReply(body.outputBufferLength);
    return await scan(open, body, textOf(body.pattern));
  });
  open.scanning = scanned.catch(() => {});
  return await scanned;
}

async function scan(
  open: Open,
  body: { readonly flags: number; readonly informationClass: number; readonly outputBufferLength: number },
  pattern: string,
): Promise<Reply> {
  const isRestart = (body.flags & (QUERY_DIRECTORY_FLAG.RESTART_SCANS | QUERY_DIRECTORY_FLAG.REOPEN)) !== 0;
  const isFirst = open.scan === undefined;
  if (open.scan === undefined || isRestart) {
    if (/[\\/]/.test(pattern)) throw refuse(STATUS.OBJECT_NAME_INVALID);
    // An empty pattern means the one before, or everything ([MS-FSA] 2.1.5.6.3).
    open.scan = newScan(pattern === "" ? (open.scan?.pattern ?? "*") : pattern);
  }
  const state = open.scan;
  const page = new DirectoryPage(body.informationClass, body.outputBufferLength);
  const isSingle = (body.flags & QUERY_DIRECTORY_FLAG.RETURN_SINGLE_ENTRY) !== 0;
  while (await readEntries(open, state)) {
    const sent = fill(page, state.unsent, isSingle);
    state.unsent = sent < state.unsent.length ? state.unsent.slice(sent) : [];
    // The page is full, or the client requested one entry.
    if (state.unsent.length > 0 || (isSingle && sent > 0)) break;
  }
  if (page.isEmpty && state.unsent.length > 0) throw refuse(STATUS.INFO_LENGTH_MISMATCH);
  if (page.isEmpty) throw refuse(isFirst ? STATUS.NO_SUCH_FILE : STATUS.NO_MORE_FILES);
  const output = page.bytes();
  return { status: STATUS.SUCCESS, body: encodeOutputHead(output.length), payload: [output] };
}

function newScan(pattern: string): Scan {
  const matches = matcherOf(pattern);
  return { pattern, matches, after: undefined, dots: 0, unsent: [], isAtEnd: false };
}

/** Adds the entries that fit, at most one with `isSingle`, and returns how many. */
function fill(page: DirectoryPage, entries: readonly ListedEntry[], isSingle: boolean): number {
  const count = isSingle ? 1 : entries.length;
  for (let index = 0; index < count; index++) {
    const { name, info } = entries[index]!;
    if (!page.add(entryOf(name, info))) return index;
  }
  return count;
}

/** Reads entries if none are left to send; false at the end of the directory. */
async function readEntries({ file }: Open, scan: Scan): Promise<boolean> {
  while (scan.unsent.length === 0) {
    if (scan.dots < 2) {
      const name = scan.dots++ === 0 ? "." : "..";
      if (!scan.matches(name)) continue;
      const parent = name === "." ? undefined : await file.parent();
      const info = parent === undefined ? await readInfo(file) : infoOfInode(file, parent.id, parent);
      scan.unsent = [{ name, info }];
      continue;
    }
    if (scan.isAtEnd) return false;
    const limit = SMB_LIMITS.directoryEntriesPerStep;
    const listed = await file.list({ after: scan.after, limit });
    scan.after = listed.at(-1)?.entry.name ?? scan.after;
    scan.isAtEnd = listed.length < limit;
    scan.unsent = listed
      .filter(({ entry }) => scan.matches(entry.name))
      .map(({ entry, record }) => ({ name: entry.name, info: infoOfInode(file, entry.inode, { record }) }));
  }
  return true;
}

function entryOf(name: string, info: FileInfo): DirectoryEntry {
  return { name, fileId: info.inode, eaSize: info.eaSize, ...timesAndSizes(info) };
}
