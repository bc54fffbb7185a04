import type { Writer } from "../../store/kv.ts";
import type { ShareRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import { type FileChange, openForChange } from "./inode-changes.ts";
import { type Inode, removeEntry, removeInode } from "./inodes.ts";
import { discardContent } from "./ranges.ts";
import { changeUsage } from "./shares.ts";
import { removeStreams } from "./streams.ts";

/** Deletes a file at once, or refuses: a REST delete never leaves a file delete-pending. */
export async function deleteFile(files: FileService, request: FileChange): Promise<void> {
  await files.change(async (write, admissions) => {
    const { share, inode } = await openForChange(write, admissions, request, "delete", { ignoresCopy: true });
    await unlinkFile(write, share, inode);
  });
  files.contentLeft.ring();
}

/** Removes a file from its directory. A background job frees its content. */
export async function unlinkFile(write: Writer, share: ShareRecord, inode: Inode): Promise<void> {
  await unlinkDirectory(write, share, inode);
  await changeUsage(write, share, -inode.record.size);
  discardContent(write, share, inode.record.content);
}

/** Removes an empty directory, which has no content. */
export async function unlinkDirectory(write: Writer, share: ShareRecord, inode: Inode): Promise<void> {
  const { id, record } = inode;
  await removeEntry(write, share, record.parent, record.name);
  await removeInode(write, share, id);
  if (record.hasStreams === true) await removeStreams(write, share, inode);
}
