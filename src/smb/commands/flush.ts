import { type Reply, type Request, success } from "../request.ts";
import { refuse, STATUS } from "../status.ts";
import { ACCESS } from "../wire/create.ts";
import { flushRequest } from "../wire/file-io.ts";
import { emptyBody } from "../wire/session-setup.ts";
import { notifyWrites } from "../write-times.ts";

/** Durable when answered. */
export async function flush(request: Request): Promise<Reply> {
  const open = request.open(flushRequest.decode(request.pdu).fileId);
  if (open.file === undefined) return success(emptyBody.encode({}));
  if ((open.access & (ACCESS.WRITE_DATA | ACCESS.APPEND_DATA)) === 0) throw refuse(STATUS.ACCESS_DENIED);
  if (open.file.kind === "file") await open.file.flush();
  notifyWrites(open.inode);
  return success(emptyBody.encode({}));
}
