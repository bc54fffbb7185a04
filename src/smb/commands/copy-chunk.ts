import { SMB_LIMITS } from "../limits.ts";
import type { Open } from "../session/open.ts";
import type { Request } from "../transport/request.ts";
import { BY_HANDLE, toStatus } from "../transport/statuses.ts";
import { ACCESS } from "../wire/create.ts";
import {
  type CopyChunk,
  copyChunkResponse,
  decodeCopyChunk,
  FSCTL,
  RESUME_KEY_BYTES,
} from "../wire/ioctl.ts";
import { refuse, STATUS, StatusError } from "../wire/status.ts";
import type { IoctlAnswer } from "./ioctl.ts";
import { breakForWrite, need, notifyWritten } from "./rights.ts";

/** Server-side copy: the client names a source by a resume key, and ranges to copy from it. */
const KEY_ANSWER_BYTES = 32;

/** The key is the file id: it counts only within the session that has the handle. */
export function resumeKey(open: Open, bytesMax: number): IoctlAnswer {
  if (bytesMax < KEY_ANSWER_BYTES) throw refuse(STATUS.BUFFER_TOO_SMALL);
  const output = Buffer.alloc(KEY_ANSWER_BYTES);
  output.writeBigUInt64LE(open.fileId.persistent, 0);
  output.writeBigUInt64LE(open.fileId.volatile, 8);
  return { output };
}

export async function copyChunk(
  request: Request,
  target: Open,
  body: { readonly ctlCode: number; readonly input: Buffer; readonly maxOutputResponse: number },
): Promise<IoctlAnswer> {
  if (body.maxOutputResponse < copyChunkResponse.bytes) throw refuse(STATUS.INVALID_PARAMETER);
  const { key, chunks, chunkCount } = decodeCopyChunk(body.input, SMB_LIMITS.copyChunksMax);
  const source = sourceOf(target, key);
  if (target.file.kind === "directory") throw refuse(STATUS.INVALID_DEVICE_REQUEST);
  need(target, ACCESS.WRITE_DATA | ACCESS.APPEND_DATA);
  if (body.ctlCode === FSCTL.SRV_COPYCHUNK) need(target, ACCESS.READ_DATA);
  need(source, ACCESS.READ_DATA | ACCESS.EXECUTE);
  const total = chunks.reduce((sum, { length }) => sum + length, 0);
  const isTooMuch =
    chunkCount > SMB_LIMITS.copyChunksMax ||
    total > SMB_LIMITS.copyBytesMax ||
    chunks.some(({ length }) => length === 0 || length > SMB_LIMITS.copyChunkBytesMax);
  if (isTooMuch) return limits();
  await breakForWrite(request, target);
  let chunksWritten = 0;
  let totalBytesWritten = 0;
  let status: number = STATUS.SUCCESS;
  try {
    for (const chunk of chunks) {
      await copy(source, target, chunk);
      chunksWritten++;
      totalBytesWritten += chunk.length;
    }
  } catch (error) {
    // Earlier chunks stay, and the reply reports how many there are.
    const refused = toStatus(error, BY_HANDLE);
    if (!(refused instanceof StatusError)) throw error;
    status = refused.status;
  }
  if (chunksWritten > 0) notifyWritten(request, target);
  return {
    status,
    output: copyChunkResponse.encode({ chunksWritten, chunkBytesWritten: 0, totalBytesWritten }),
  };
}

function sourceOf(target: Open, key: Buffer): Open {
  const open = target.session.opens.get(key.readBigUInt64LE(8));
  const isValid =
    key.length === RESUME_KEY_BYTES &&
    open?.file !== undefined &&
    open.fileId.persistent === key.readBigUInt64LE(0);
  if (!isValid) throw refuse(STATUS.OBJECT_NAME_NOT_FOUND);
  return open;
}

/** The reply to a request beyond the limits reports them. */
function limits(): IoctlAnswer {
  return {
    status: STATUS.INVALID_PARAMETER,
    output: copyChunkResponse.encode({
      chunksWritten: SMB_LIMITS.copyChunksMax,
      chunkBytesWritten: SMB_LIMITS.copyChunkBytesMax,
      totalBytesWritten: SMB_LIMITS.copyBytesMax,
    }),
  };
}

async function copy(
  source: Open,
  target: Open,
  { sourceOffset, targetOffset, length }: CopyChunk,
): Promise<void> {
  const { size } = await source.file.record();
  if (sourceOffset + BigInt(length) > BigInt(size)) throw refuse(STATUS.INVALID_VIEW_SIZE);
  const from = Number(sourceOffset);
  const data = Buffer.concat(await source.file.read({ from, to: from + length }));
  await target.file.write({ offset: Number(targetOffset), data, mayCommitAsync: false });
}
