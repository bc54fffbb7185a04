import type { FileInfo } from "../file-system.ts";
import { closeOpen } from "../session/end-open.ts";
import { beforeClose } from "../session/write-times.ts";
import { type Reply, type Request, success } from "../transport/request.ts";
import { CLOSE_POSTQUERY_ATTRIB, closeRequest, closeResponse } from "../wire/file-io.ts";

export async function close(request: Request): Promise<Reply> {
  const { flags, fileId } = closeRequest.decode(request.pdu);
  const open = request.open(fileId);
  const { session } = open;
  if (open.file !== undefined) await request.afterOthers(open);
  const wantsInfo = (flags & CLOSE_POSTQUERY_ATTRIB) !== 0 && open.file !== undefined;
  if (open.file !== undefined && open.hasPendingWriteNotice)
    await beforeClose(request.connection.server, open);
  const info = wantsInfo ? await open.file.infoAtClose() : undefined;
  const flushed = open.file?.flush();
  // Heard below, when the handle has gone: it goes whatever became of its writes.
  flushed?.catch(() => {});
  if (session.opens.delete(open.fileId.volatile)) {
    session.connection.openCount--;
    await closeOpen(request.connection.server, open, { isPatient: true });
  }
  await flushed;
  return success(closeResponse.encode(info === undefined ? NOTHING : { ...timesAndSizes(info), flags }));
}

export function timesAndSizes(info: FileInfo) {
  return {
    creationTime: info.createdAt,
    lastAccessTime: info.accessedAt,
    lastWriteTime: info.writtenAt,
    changeTime: info.changedAt,
    allocationSize: BigInt(info.allocationSize),
    endOfFile: BigInt(info.size),
    attributes: info.attributes,
  };
}

const NOTHING = {
  flags: 0,
  creationTime: 0n,
  lastAccessTime: 0n,
  lastWriteTime: 0n,
  changeTime: 0n,
  allocationSize: 0n,
  endOfFile: 0n,
  attributes: 0,
};
