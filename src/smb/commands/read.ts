import { SMB_LIMITS } from "../limits.ts";
import type { Pipe } from "../rpc/pipe.ts";
import type { Reply, Request } from "../transport/request.ts";
import { ACCESS } from "../wire/create.ts";
import { encodeReadHead, readRequest } from "../wire/file-io.ts";
import { refuse, STATUS } from "../wire/status.ts";

export const OFFSET_MAX = 2n ** 63n - 1n;

/** The data goes to the socket in the buffers that the service read it into. */
export async function read(request: Request): Promise<Reply> {
  const { fileId, length, offset, minimumCount } = readRequest.decode(request.pdu);
  const open = request.open(fileId);
  if (length > SMB_LIMITS.readBytesMax) throw refuse(STATUS.INVALID_PARAMETER);
  request.checkCharge(length);
  if (open.file === undefined) return await readPipe(open.pipe, length);
  if (open.file.kind === "directory") throw refuse(STATUS.INVALID_DEVICE_REQUEST);
  if ((open.access & (ACCESS.READ_DATA | ACCESS.EXECUTE)) === 0) throw refuse(STATUS.ACCESS_DENIED);
  if (offset + BigInt(length) > OFFSET_MAX) throw refuse(STATUS.INVALID_PARAMETER);
  // A read of no bytes succeeds, also beyond the end of the file and under a lock.
  if (length === 0 && minimumCount === 0) return { status: STATUS.SUCCESS, body: encodeReadHead(0) };
  const reserved = request.reserveReply(length);
  if (reserved !== undefined) await reserved;
  const from = Number(offset);
  const payload = await open.file.read({ from, to: from + length });
  const count = payload.reduce((sum, part) => sum + part.length, 0);
  if ((count === 0 && length > 0) || count < minimumCount) throw refuse(STATUS.END_OF_FILE);
  open.position = offset + BigInt(count);
  return { status: STATUS.SUCCESS, body: encodeReadHead(count), payload, isBorrowed: true };
}

/** The call may still run: its WRITE was answered when the pipe had received it. */
async function readPipe(pipe: Pipe, length: number): Promise<Reply> {
  await pipe.settled();
  const { data, isMore } = pipe.read(length);
  // No call was written, so no reply will come. After a success without data some clients would read for
  // ever.
  if (data.length === 0 && length > 0) throw refuse(STATUS.PIPE_EMPTY);
  const status = isMore ? STATUS.BUFFER_OVERFLOW : STATUS.SUCCESS;
  return { status, body: encodeReadHead(data.length), payload: [data] };
}
