import type { TimeChange } from "../../services/file/open-file.ts";
import { decodeSecurityDescriptor, SECURITY_PART } from "../../services/file/security/security-descriptor.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { Open } from "../session/open.ts";
import { notifyWrites } from "../session/write-times.ts";
import { type Reply, type Request, success } from "../transport/request.ts";
import { BY_HANDLE, withStatus } from "../transport/statuses.ts";
import { ACCESS, ATTRIBUTE } from "../wire/create.ts";
import { NOTIFY_ACTION, NOTIFY_FILTER } from "../wire/directory.ts";
import { decodeFullEas } from "../wire/extended-attributes.ts";
import {
  basicInformation,
  decodeRename,
  dispositionInformation,
  FILE_CLASS,
  wholeInformation,
  wordInformation,
} from "../wire/file-information.ts";
import { ticksOfFileTime } from "../wire/filetime.ts";
import { INFO_TYPE, setInfoRequest, setInfoResponse } from "../wire/info.ts";
import { parsePath, parseStream } from "../wire/path.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { notifyStream, STREAM_EVENT } from "../wire/stream-names.ts";
import { breakBelow, breakForRemoval, breakForWrite, breakReplaced, need, notifyWritten } from "./rights.ts";

export async function setInfo(request: Request): Promise<Reply> {
  const { infoType, informationClass, data, fileId, additionalInformation } = setInfoRequest.decode(
    request.pdu,
  );
  const open = request.file(fileId, STATUS.NOT_SUPPORTED);
  request.checkCharge(data.length);
  switch (infoType) {
    case INFO_TYPE.FILE:
      await setFile(request, open, { informationClass, data });
      break;
    case INFO_TYPE.SECURITY:
      await setSecurity(open, additionalInformation, data);
      notify(request, open, NOTIFY_FILTER.SECURITY);
      break;
    case INFO_TYPE.FILESYSTEM:
      throw refuse(STATUS.ACCESS_DENIED);
    case INFO_TYPE.QUOTA:
      throw refuse(STATUS.NOT_SUPPORTED);
    default:
      throw refuse(STATUS.INVALID_PARAMETER);
  }
  return success(setInfoResponse.encode({}));
}

const MODE_BITS = 0x103e;

function notify(request: Request, open: Open, filter: number): void {
  const event = { path: open.path, action: NOTIFY_ACTION.MODIFIED, filter };
  request.context.changes.notify(open.file.share, [event]);
}

async function setFile(
  request: Request,
  open: Open,
  { informationClass, data }: { readonly informationClass: number; readonly data: Buffer },
): Promise<void> {
  switch (informationClass) {
    case FILE_CLASS.BASIC:
      await setBasic(request, open, data);
      return;
    case FILE_CLASS.RENAME:
      await rename(request, open, data);
      return;
    case FILE_CLASS.DISPOSITION: {
      const { deletePending } = dispositionInformation.decode(data);
      need(open, ACCESS.DELETE);
      if (deletePending !== 0) await breakForRemoval(request, open);
      await open.file.setDeletePending(deletePending !== 0);
      if (open.inode !== undefined) open.inode.isDeletePending = deletePending !== 0;
      if (deletePending !== 0 && open.file.kind === "directory")
        request.context.changes.removed(open.file.share, open.path);
      return;
    }
    case FILE_CLASS.POSITION:
      open.position = wholeInformation.decode(data).value;
      return;
    case FILE_CLASS.MODE: {
      const { value } = wordInformation.decode(data);
      if ((value & ~MODE_BITS) !== 0) throw refuse(STATUS.INVALID_PARAMETER);
      open.mode = value;
      return;
    }
    case FILE_CLASS.ALLOCATION:
      await setSize(request, open, data, (size) => open.file.setAllocation(size));
      return;
    case FILE_CLASS.END_OF_FILE:
      await setSize(request, open, data, (size) => open.file.resize(size));
      return;
    case FILE_CLASS.FULL_EA:
      need(open, ACCESS.WRITE_EA);
      if (data.length > SMB_LIMITS.eaListBytesMax) throw refuse(STATUS.EA_TOO_LARGE);
      await open.file.setExtendedAttributes(decodeFullEas(data));
      notify(request, open, NOTIFY_FILTER.EA | NOTIFY_FILTER.ATTRIBUTES);
      return;
    case FILE_CLASS.LINK:
    case FILE_CLASS.SHORT_NAME:
    case FILE_CLASS.VALID_DATA_LENGTH:
      throw refuse(STATUS.NOT_SUPPORTED);
    default:
      throw refuse(STATUS.INVALID_INFO_CLASS);
  }
}

const TIME_MAX = 2n ** 63n;
const FREEZE = 2n ** 64n - 1n;
const RESUME = 2n ** 64n - 2n;

function timeChange(value: bigint): TimeChange {
  if (value === 0n) return undefined;
  if (value === FREEZE) return "freeze";
  if (value === RESUME) return "resume";
  if (value >= TIME_MAX) throw refuse(STATUS.INVALID_PARAMETER);
  return ticksOfFileTime(value);
}

async function setBasic(request: Request, open: Open, data: Buffer): Promise<void> {
  const info = basicInformation.decode(data);
  need(open, ACCESS.WRITE_ATTRIBUTES);
  const isDirectory = open.file.kind === "directory";
  const isWrong =
    (!isDirectory && (info.attributes & ATTRIBUTE.DIRECTORY) !== 0) ||
    (isDirectory && (info.attributes & ATTRIBUTE.TEMPORARY) !== 0);
  if (isWrong) throw refuse(STATUS.INVALID_PARAMETER);
  await open.file.change({
    createdAt: timeChange(info.creationTime),
    accessedAt: timeChange(info.lastAccessTime),
    writtenAt: timeChange(info.lastWriteTime),
    changedAt: timeChange(info.changeTime),
    attributes: info.attributes === 0 ? undefined : info.attributes,
  });
  notifyWrites(open.inode);
  if (info.lastWriteTime !== 0n) open.isWriteTimeFrozen = info.lastWriteTime !== RESUME;
  const filter =
    (info.attributes === 0 ? 0 : NOTIFY_FILTER.ATTRIBUTES) |
    (info.creationTime === 0n ? 0 : NOTIFY_FILTER.CREATION) |
    (info.lastAccessTime === 0n ? 0 : NOTIFY_FILTER.LAST_ACCESS) |
    (info.lastWriteTime === 0n ? 0 : NOTIFY_FILTER.LAST_WRITE);
  if (filter !== 0) notify(request, open, filter);
}

async function setSize(
  request: Request,
  open: Open,
  data: Buffer,
  set: (size: number) => Promise<void>,
): Promise<void> {
  const { value } = wholeInformation.decode(data);
  if (open.file.kind === "directory" || value >= TIME_MAX) throw refuse(STATUS.INVALID_PARAMETER);
  need(open, ACCESS.WRITE_DATA);
  if (value > BigInt(SMB_LIMITS.fileBytesMax)) throw refuse(STATUS.DISK_FULL);
  await breakForWrite(request, open);
  await set(Number(value));
  notifyWrites(open.inode);
  notifyWritten(request, open);
}

const RENAMED_FILE = {
  action: NOTIFY_ACTION.MODIFIED,
  filter: NOTIFY_FILTER.ATTRIBUTES | NOTIFY_FILTER.CREATION,
  unless: NOTIFY_FILTER.FILE_NAME,
};

/** Linux reports DELETE_PENDING as a missing file, although the client has it open. */
const RENAME_STATUSES = { ...BY_HANDLE, SMBDeletePending: STATUS.ACCESS_DENIED };

async function rename(request: Request, open: Open, data: Buffer): Promise<void> {
  const { name, rootDirectory, replaceIfExists } = decodeRename(data);
  need(open, ACCESS.DELETE);
  if (rootDirectory !== 0n) throw refuse(STATUS.INVALID_PARAMETER);
  if (request.context.hasStreams && (open.stream !== undefined || name.startsWith(":"))) {
    await renameStream(request, open, { name, isReplacing: replaceIfExists });
    return;
  }
  const target = parsePath(name.replace(/^\\/, ""));
  if (target.snapshot !== undefined || target.names.length === 0) throw refuse(STATUS.OBJECT_NAME_INVALID);
  await breakForRemoval(request, open);
  if (open.file.kind === "directory") await breakBelow(request, open);
  if (replaceIfExists) await breakReplaced(request, open, target.names);
  const from = open.path;
  const rename = { path: target.names, isReplacing: replaceIfExists };
  const to = await withStatus(open.file.rename(rename), RENAME_STATUSES);
  const { changes, inodes } = request.context;
  const { share } = open.file;
  for (const inode of [open.inode, ...inodes.streamsOf(share, open.file.inode)])
    for (const other of inode?.opens ?? [open]) other.path = to;
  const filter = open.file.kind === "directory" ? NOTIFY_FILTER.DIR_NAME : NOTIFY_FILTER.FILE_NAME;
  const isSameDirectory = from.slice(0, -1).join("\\") === to.slice(0, -1).join("\\");
  changes.notify(share, [
    { path: from, action: isSameDirectory ? NOTIFY_ACTION.RENAMED_OLD_NAME : NOTIFY_ACTION.REMOVED, filter },
    {
      path: to,
      action: isSameDirectory ? NOTIFY_ACTION.RENAMED_NEW_NAME : NOTIFY_ACTION.ADDED,
      filter,
    },
    // A watch of attributes without names gets this event, as on Windows.
    ...(open.file.kind === "file" ? [{ path: to, ...RENAMED_FILE }] : []),
  ]);
}

/** Within its file: the new name has no path. */
async function renameStream(
  request: Request,
  open: Open,
  { name, isReplacing }: { readonly name: string; readonly isReplacing: boolean },
): Promise<void> {
  // With a path it would become a stream of another file.
  if (!name.startsWith(":")) throw refuse(STATUS.SHARING_VIOLATION);
  const { stream } = parseStream(name);
  if (open.stream === undefined || stream === undefined) throw refuse(STATUS.OBJECT_NAME_INVALID);
  await open.file.renameStream({ name: stream, isReplacing });
  const { changes } = request.context;
  notifyStream(changes, open, STREAM_EVENT.REMOVED);
  for (const other of open.inode?.opens ?? [open]) other.stream = stream;
  notifyStream(changes, open, STREAM_EVENT.ADDED);
}

async function setSecurity(open: Open, parts: number, data: Buffer): Promise<void> {
  if ((parts & (SECURITY_PART.OWNER | SECURITY_PART.GROUP)) !== 0) need(open, ACCESS.WRITE_OWNER);
  if ((parts & SECURITY_PART.DACL) !== 0) need(open, ACCESS.WRITE_DAC);
  if ((parts & SECURITY_PART.SACL) !== 0) need(open, ACCESS.SYSTEM_SECURITY);
  if (data.length > SMB_LIMITS.securityDescriptorBytesMax) throw refuse(STATUS.INVALID_SECURITY_DESCR);
  await open.file.setSecurity({ descriptor: decodeSecurityDescriptor(data), parts });
}
