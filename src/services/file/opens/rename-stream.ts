import { Refusal } from "../../../base/refusals.ts";
import type { FileService } from "../file-service.ts";
import { putNode, ticksOf } from "../nodes.ts";
import { findStream, putBase, putStreamEntry, removeStream, removeStreamEntry } from "../streams.ts";
import { findHeld, findHeldBase } from "./held.ts";
import type { Handle } from "./open-node.ts";

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
  await files.changeAs(handle.id, async (write, grants) => {
    const { share, view, node } = await findHeld(write, handle);
    const { node: base } = await findHeldBase(write, handle);
    const target = await findStream(view, share.id, base, name);
    if (target !== undefined && target.id !== node.id) {
      if (!isReplacing) throw new Refusal("ResourceAlreadyExists");
      // Only a stream that nobody has open gives way.
      grants.ask(share, target, "delete").pass();
      await removeStream(write, share, base.id, target);
    }
    await removeStreamEntry(write, share, base.id, node.record.name);
    await putStreamEntry(write, share, base.id, { name, node: node.id, kind: "file" });
    const revision = write.revision(node.record.revision);
    await putNode(write, share, node.id, { ...node.record, name, revision }, revision);
    await putBase(write, share, base, { changedAt: ticksOf(write) });
  });
  files.contentLeft.ring();
}
