import { Refusal } from "../../base/refusals.ts";
import type { ShareRecord, ShareSettings } from "../../store/records/file.ts";
import { checkName } from "../deleted-names.ts";
import type { FileService } from "./file-service.ts";
import { newInode, putInode, ROOT, ticksOf } from "./inodes.ts";
import { checkShareName, type SnapshotRef } from "./names.ts";
import { findShare, putShare, refuseSnapshot } from "./shares.ts";

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
    await checkName(write, files.parts, { kind: "share", account: ref.account, name: ref.share });
    const revision = write.revision();
    const share: ShareRecord = {
      id: revision,
      revision,
      settings: { ...settings, tierChangedAt: write.now() },
      ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
    };
    putShare(write, ref, share);
    const changed = { revision: write.revision(revision), now: ticksOf(write) };
    const root = newInode("directory", { parent: ROOT, name: "", ...changed });
    await putInode(write, share, ROOT, root, revision);
    return share;
  });
}
