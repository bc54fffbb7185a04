import { badHeader } from "../../base/refusals.ts";
import { deleteShare } from "../../services/file/delete-share.ts";
import { readLeaseId } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { withoutNewer } from "../wire/since.ts";
import { readSnapshotRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";
import { readNonEmpty } from "./share-settings.ts";

/** DELETE /{share}?restype=share */
export async function handleDeleteShare(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const name = "x-ms-delete-snapshots";
  const ref = readSnapshotRef(request);
  const snapshots = readNonEmpty(request.headers, name, ["include", "include-leased"]);
  if (ref.snapshot !== undefined && snapshots !== undefined) throw badHeader(name, snapshots);
  const { bytes } = await deleteShare(files, {
    ref,
    leaseId: readLeaseId(request.headers),
    snapshots,
  });
  const usage = { "x-ms-file-share-usage-bytes": ref.snapshot === undefined ? String(bytes) : undefined };
  return { status: 202, headers: withoutNewer(request.version, usage) };
}
