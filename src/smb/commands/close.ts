import { closeOpen } from "../session/end-open.ts";
import { type FileInfo, infoOf } from "../session/file-info.ts";
import { beforeClose } from "../session/write-times.ts";
import { type Reply, type Request, success } from "../transport/request.ts";
import { CLOSE_POSTQUERY_ATTRIB, closeRequest, closeResponse } from "../wire/file-io.ts";

export async function close(request: Request): Promise<Reply> {
  const { flags, fileId } = closeRequest.decode(request.pdu);
  const open = request.open(fileId);
  const { file, session } = open;
  if (file !== undefined) await request.afterOthers(open);
  const hasInfo = (flags & CLOSE_POSTQUERY_ATTRIB) !== 0 && file !== undefined;
  if (file !== undefined && open.hasPendingWriteNotice) await beforeClose(request.context, open);
  const info = hasInfo ? infoOf(file, await file.propertiesAtClose()) : undefined;
  const flushed = file?.flush();
  // A failed write is reported below: the handle closes in any case.
  flushed?.catch(() => {});
  if (session.removeOpen(open)) await closeOpen(request.context, open, { mayWait: true });
  await flushed;
  return success(closeResponse.encode(info === undefined ? NO_INFO : { ...timesAndSizes(info), flags }));
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

const NO_INFO = {
  flags: 0,
  creationTime: 0n,
  lastAccessTime: 0n,
  lastWriteTime: 0n,
  changeTime: 0n,
  allocationSize: 0n,
  endOfFile: 0n,
  attributes: 0,
};
