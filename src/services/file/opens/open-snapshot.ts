import { Refusal } from "../../../base/refusals.ts";
import type { FileService } from "../file-service.ts";
import { findAny } from "../inodes.ts";
import { OpenFile } from "../open-file.ts";
import { openShare } from "../shares.ts";
import { findStream, shownStream } from "../streams.ts";
import type { OpenRequest } from "./open-request.ts";
import { checkGrant } from "./open-rights.ts";

/** A share snapshot has no handles: opens of it only read, so they need no share modes and no locks. */
export async function openInSnapshot(files: FileService, request: OpenRequest): Promise<OpenFile> {
  const { ref, stream, disposition = "open", kind } = request;
  const found = await files.parts.store.read(async (read) => {
    const { share, view } = await openShare(read, ref);
    const base = await findAny(view, share.id, ref.path);
    const named = stream === undefined ? undefined : await findStream(view, share.id, base, stream);
    if (stream !== undefined && named === undefined) throw new Refusal("ResourceNotFound");
    const isChanging =
      (disposition !== "open" && disposition !== "openIf") ||
      request.isDeleteOnClose === true ||
      request.mayChange === true;
    if (isChanging) throw new Refusal("ShareSnapshotOperationNotSupported");
    const record = named === undefined ? base.record : shownStream(base.record, named.record);
    if (kind !== undefined && kind !== record.kind) throw new Refusal("ResourceTypeMismatch");
    const { rights } = request;
    const granted = rights && (await checkGrant({ read, view, share: share.id }, base, rights, 0));
    if (granted === "denied") throw new Refusal("AuthorizationPermissionMismatch");
    return { share, base, named, record, granted };
  });
  const { share, base, named, record, granted } = found;
  const handle = { ref, share: share.id, inode: named?.id ?? base.id, id: 0n, base: named && base.id };
  return new OpenFile(files, handle, {
    path: ref.path,
    stream,
    isBaseNew: false,
    record,
    action: "opened",
    access: request.access | (request.optionalAccess ?? 0),
    granted,
    acls: request.rights?.acls,
    isAlone: true,
    reservedBytes: 0,
    durable: undefined,
  });
}
