import { Refusal } from "../../../base/refusals.ts";
import type { FileService } from "../file-service.ts";
import { putInode, ticksOf } from "../inodes.ts";
import { findStream, putBase, putStreamEntry, removeStream, removeStreamEntry } from "../streams.ts";
import { findBaseByHandle, findByHandle } from "./held.ts";
import type { Handle } from "./open-inode.ts";

export interface RenameStream {
  readonly name: string;
  readonly isReplacing: boolean;
}

/** Gives the named stream that a handle has open another name, within its file. */
export async function renameStream(
  files: FileService,
  handle: Handle,
  { name, isReplacing }: RenameStream,
): Promise<void> {
  await files.changeAs(handle.id, async (write, admissions) => {
    const { share, view, inode } = await findByHandle(write, handle);
    const { inode: base } = await findBaseByHandle(write, handle);
    const target = await findStream(view, share.id, base, name);
    if (target !== undefined && target.id !== inode.id) {
      if (!isReplacing) throw new Refusal("ResourceAlreadyExists");
      // Only a stream that nobody has open gives way.
      admissions.ask(share, target, "delete").pass();
      await removeStream(write, share, base.id, target);
    }
    await removeStreamEntry(write, share, base.id, inode.record.name);
    await putStreamEntry(write, share, base.id, { name, inode: inode.id, kind: "file" });
    const revision = write.revision(inode.record.revision);
    await putInode(write, share, inode.id, { ...inode.record, name, revision }, revision);
    await putBase(write, share, base, { changedAt: ticksOf(write) });
  });
  files.contentLeft.ring();
}
