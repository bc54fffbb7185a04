import { getFileProperties } from "../../services/file/get-file.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printMetadata } from "../wire/metadata.ts";
import { readLeaseId, readPathRef } from "./read-request.ts";
import { stamp } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** GET or HEAD /{share}/{file}?comp=metadata */
export async function handleGetFileMetadata(
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const { inode } = await getFileProperties(files, {
    ref: readPathRef(request),
    leaseId: readLeaseId(request.headers),
  });
  const { record } = inode;
  return { status: 200, headers: { ...stamp(record.revision), ...printMetadata(record.metadata ?? {}) } };
}
