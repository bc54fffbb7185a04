import { badHeader } from "../../base/refusals.ts";
import { deleteShare } from "../../services/file/delete-share.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readLeaseId } from "./read-request.ts";
import { readSnapshotRef, readWord } from "./read-share-request.ts";
import type { FileServices } from "./services.ts";

/** DELETE /{share}?restype=share */
export async function handleDeleteShare(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const name = "x-ms-delete-snapshots";
  const ref = readSnapshotRef(request);
  const snapshots = readWord(request.headers, name, ["include", "include-leased"]);
  if (ref.snapshot !== undefined && snapshots !== undefined) throw badHeader(name, snapshots);
  const { bytes } = await deleteShare(files, {
    ref,
    leaseId: readLeaseId(request.headers),
    snapshots: snapshots as "include" | "include-leased" | undefined,
  });
  const headers = { "x-ms-file-share-usage-bytes": ref.snapshot === undefined ? String(bytes) : undefined };
  return { status: 202, headers };
}
