import type { Writer } from "../../store/kv.ts";
import type { ShareRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import { type FileChange, openForChange } from "./node-changes.ts";
import { type Node, removeEntry, removeNode } from "./nodes.ts";
import { discardContent } from "./ranges.ts";
import { changeUsage } from "./shares.ts";
import { removeStreams } from "./streams.ts";

/** Gone at once, or untouched: a REST delete never leaves a file waiting for handles to close. */
export async function deleteFile(files: FileService, request: FileChange): Promise<void> {
  await files.change(async (write, grants) => {
    const { share, node } = await openForChange(write, grants, request, "delete", { ignoresCopy: true });
    await unlinkFile(write, share, node);
  });
  files.contentLeft.ring();
}

/** Takes a file out of its directory; its content is taken apart in the background. */
export async function unlinkFile(write: Writer, share: ShareRecord, node: Node): Promise<void> {
  const { record } = node;
  await unlinkDirectory(write, share, node);
  await changeUsage(write, share, -record.size);
  discardContent(write, share, record.content);
}

/** The same of an empty directory, which has no content of its own. */
export async function unlinkDirectory(write: Writer, share: ShareRecord, node: Node): Promise<void> {
  const { id, record } = node;
  await removeEntry(write, share, record.parent, record.name);
  await removeNode(write, share, id);
  if (record.hasStreams === true) await removeStreams(write, share, node);
}
