import { SMB_LIMITS } from "../limits.ts";
import type { Pipe } from "../rpc/pipe.ts";
import type { Reply, Request } from "../transport/request.ts";
import { ACCESS } from "../wire/create.ts";
import { encodeReadHead, readRequest } from "../wire/file-io.ts";
import { refuse, STATUS } from "../wire/status.ts";

export const OFFSET_MAX = 2n ** 63n - 1n;

/** The data travels from the file system to the socket in the buffers it was read into. */
export async function read(request: Request): Promise<Reply> {
  const { fileId, length, offset, minimumCount } = readRequest.decode(request.pdu);
  const open = request.open(fileId);
  if (length > SMB_LIMITS.readBytesMax) throw refuse(STATUS.INVALID_PARAMETER);
  request.checkCharge(length);
  if (open.file === undefined) return await readPipe(open.pipe, length);
  if (open.file.kind === "directory") throw refuse(STATUS.INVALID_DEVICE_REQUEST);
  if ((open.access & (ACCESS.READ_DATA | ACCESS.EXECUTE)) === 0) throw refuse(STATUS.ACCESS_DENIED);
  if (offset + BigInt(length) > OFFSET_MAX) throw refuse(STATUS.INVALID_PARAMETER);
  // Nothing is read where nothing is asked for, so no lock and no end of file stands in the way.
  if (length === 0 && minimumCount === 0) return { status: STATUS.SUCCESS, body: encodeReadHead(0) };
  const reserved = request.reserveReply(length);
  if (reserved !== undefined) await reserved;
  const payload = await open.file.read(Number(offset), length);
  const count = payload.reduce((sum, part) => sum + part.length, 0);
  if ((count === 0 && length > 0) || count < minimumCount) throw refuse(STATUS.END_OF_FILE);
  open.position = offset + BigInt(count);
  return { status: STATUS.SUCCESS, body: encodeReadHead(count), payload, isBorrowed: true };
}

/** The call may still be worked on: its WRITE was answered when the pipe had it. */
async function readPipe(pipe: Pipe, length: number): Promise<Reply> {
  await pipe.settled();
  const { data, isMore } = pipe.read(length);
  // Nothing was asked, so nothing will come. Success without a byte would keep some clients asking for ever.
  if (data.length === 0 && length > 0) throw refuse(STATUS.PIPE_EMPTY);
  const status = isMore ? STATUS.BUFFER_OVERFLOW : STATUS.SUCCESS;
  return { status, body: encodeReadHead(data.length), payload: [data] };
}
