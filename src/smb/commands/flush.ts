import { notifyWrites } from "../session/write-times.ts";
import { type Reply, type Request, success } from "../transport/request.ts";
import { ACCESS } from "../wire/create.ts";
import { flushRequest } from "../wire/file-io.ts";
import { emptyBody } from "../wire/session-setup.ts";
import { need } from "./rights.ts";

/** Durable when answered. */
export async function flush(request: Request): Promise<Reply> {
  const open = request.open(flushRequest.decode(request.pdu).fileId);
  if (open.file === undefined) return success(emptyBody.encode({}));
  need(open, ACCESS.WRITE_DATA | ACCESS.APPEND_DATA);
  if (open.file.kind === "file") await open.file.flush();
  notifyWrites(open.inode);
  return success(emptyBody.encode({}));
}
