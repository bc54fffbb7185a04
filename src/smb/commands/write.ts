import { LIMITS } from "../../base/limits.ts";
import { SMB_LIMITS } from "../limits.ts";
import { beforeWrite } from "../session/write-times.ts";
import { type Reply, type Request, success } from "../transport/request.ts";
import { ACCESS, CREATE_OPTION } from "../wire/create.ts";
import { WRITE_FLAG, writeRequest, writeResponse } from "../wire/file-io.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { OFFSET_MAX } from "./read.ts";
import { breakForWrite, need, notifyWritten } from "./rights.ts";

/** Answered when the service has the bytes; with write-through when they are durable. */
export async function write(request: Request): Promise<Reply> {
  const { fileId, offset, data, flags } = writeRequest.decode(request.pdu);
  const open = request.open(fileId);
  if (data.length > SMB_LIMITS.writeBytesMax) throw refuse(STATUS.INVALID_PARAMETER);
  request.checkCharge(data.length);
  if (open.file === undefined) {
    open.pipe.write(data);
    return success(writeResponse.encode({ count: data.length, remaining: 0 }));
  }
  if (open.file.kind === "directory") throw refuse(STATUS.ACCESS_DENIED);
  need(open, ACCESS.WRITE_DATA | ACCESS.APPEND_DATA);
  if (offset + BigInt(data.length) > OFFSET_MAX) throw refuse(STATUS.INVALID_PARAMETER);
  if (offset + BigInt(data.length) > BigInt(SMB_LIMITS.fileBytesMax)) throw refuse(STATUS.DISK_FULL);
  if (data.length > 0) {
    await breakForWrite(request, open);
    const isDurable =
      (flags & WRITE_FLAG.WRITE_THROUGH) !== 0 || (open.createOptions & CREATE_OPTION.WRITE_THROUGH) !== 0;
    await beforeWrite(request.context, open);
    await open.file.write({ offset: Number(offset), data, mayCommitAsync: !isDurable });
    // Short data may stay in use as part of a record.
    request.isReleased = data.length > LIMITS.inlineBytesMax;
    open.position = offset + BigInt(data.length);
    notifyWritten(request, open);
  }
  return success(writeResponse.encode({ count: data.length, remaining: 0 }));
}
