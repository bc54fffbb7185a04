import { SMB_LIMITS } from "../limits.ts";
import { Watch, type WatchResult } from "../session/change-notification.ts";
import type { Reply, Request } from "../transport/request.ts";
import { ACCESS } from "../wire/create.ts";
import { changeNotifyRequest, encodeOutputHead, NOTIFY_WATCH_TREE } from "../wire/directory.ts";
import { encodeError } from "../wire/header.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { need } from "./rights.ts";

export async function changeNotify(request: Request): Promise<Reply> {
  const { flags, outputBufferLength, fileId, completionFilter } = changeNotifyRequest.decode(request.pdu);
  const open = request.file(fileId, STATUS.INVALID_PARAMETER);
  if (open.file.kind !== "directory") throw refuse(STATUS.INVALID_PARAMETER);
  if (outputBufferLength > SMB_LIMITS.transactBytesMax) throw refuse(STATUS.INVALID_PARAMETER);
  request.checkCharge(outputBufferLength);
  need(open, ACCESS.READ_DATA);
  if (open.watch === undefined) {
    // The first request sets what is watched.
    open.watch = new Watch({
      path: open.path,
      filter: completionFilter,
      isRecursive: (flags & NOTIFY_WATCH_TREE) !== 0,
      bytesMax: outputBufferLength,
    });
    request.context.changes.add(open.file.share, open.watch);
  }
  const ready = open.watch.drain(outputBufferLength);
  if (ready !== undefined) return replyOf(ready);
  const { result, cancel } = open.watch.wait(outputBufferLength);
  return replyOf(await request.wait(result, cancel));
}

function replyOf({ status, data }: WatchResult): Reply {
  if (status !== STATUS.SUCCESS && status !== STATUS.NOTIFY_ENUM_DIR) return { status, body: encodeError() };
  return { status, body: encodeOutputHead(data.length), payload: data.length === 0 ? [] : [data] };
}
