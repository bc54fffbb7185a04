import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import { inodeKey } from "../../store/keys/file.ts";
import {
  type InodeRecord,
  inodeRecord,
  type ShareRecord,
  type ShareSettings,
} from "../../store/records/file.ts";
import { ATTRIBUTE } from "./attributes.ts";
import type { FileService } from "./file-service.ts";
import { ROOT, ticksOf } from "./inodes.ts";
import { checkShareName, type SnapshotRef } from "./names.ts";
import { DEFAULT_SDDL, putPermission } from "./permissions.ts";
import { findShare, putShare, refuseSnapshot, volumeOf } from "./shares.ts";
import { putVersioned } from "./versions.ts";

export interface CreateShare {
  readonly ref: SnapshotRef;
  readonly settings: Omit<ShareSettings, "tierChangedAt">;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export function createShare(files: FileService, request: CreateShare): Promise<ShareRecord> {
  const { ref, settings, metadata } = request;
  checkShareName(ref.share);
  refuseSnapshot(ref);
  return files.change(async (write) => {
    if ((await findShare(write, ref)) !== undefined) throw new Refusal("ShareAlreadyExists");
    const revision: Revision = write.revision();
    const share: ShareRecord = {
      id: revision,
      revision,
      settings: { ...settings, tierChangedAt: write.now() },
      ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
    };
    putShare(write, ref, share);
    const now = ticksOf(write);
    const root: InodeRecord = {
      kind: "directory",
      parent: ROOT,
      name: "",
      revision,
      attributes: ATTRIBUTE.Directory,
      createdAt: now,
      writtenAt: now,
      changedAt: now,
      permission: putPermission(write, share.id, DEFAULT_SDDL),
      size: 0,
      content: revision,
      dataRevision: revision,
    };
    const key = inodeKey(share.id, ROOT);
    putVersioned(write, volumeOf(share), { key, packed: inodeRecord.pack(root, revision) });
    return share;
  });
}
