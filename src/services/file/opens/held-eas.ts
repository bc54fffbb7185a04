import { ATTRIBUTE } from "../attributes.ts";
import { changeEas, type EaRecord, easTold, putEas, readEas, withoutEas } from "../extended-attributes.ts";
import type { FileService } from "../file-service.ts";
import { putChanged } from "../node-changes.ts";
import { ticksOf } from "../nodes.ts";
import { findHeldBase } from "./held.ts";
import type { Handle } from "./open-node.ts";
import type { Past } from "./past-node.ts";

/** Extended attributes by handle; those of a named stream are those of its file or directory. */
export function readHeldEas(files: FileService, handle: Handle): Promise<readonly EaRecord[]> {
  return files.parts.store.read(async (read) => {
    const { share, view, node } = await findHeldBase(read, handle);
    return kept(await readEas(view, share.id, node));
  });
}

/** As a share snapshot has them. */
export function readPastEas(files: FileService, past: Past): Promise<readonly EaRecord[]> {
  return files.parts.store.read(async (read) => {
    const { share, view } = await past.find(read);
    return kept(await readEas(view, share.id, past.base));
  });
}

/** A value is a view of what the store has read, which is gone with the transaction. */
function kept(eas: readonly EaRecord[]): readonly EaRecord[] {
  return eas.map(({ name, value, isNeeded }) => ({ name, value: Buffer.from(value), isNeeded }));
}

export interface ChangeHeldEas {
  /** Those to be set; without a value, to be removed. */
  readonly changes: readonly EaRecord[];
  /** The client has set the change time by this handle. */
  readonly keepsChangedAt: boolean;
}

/** All of them or none. To REST it is a change of the file's properties like any other that comes over SMB. */
export async function changeHeldEas(
  files: FileService,
  handle: Handle,
  { changes, keepsChangedAt }: ChangeHeldEas,
): Promise<void> {
  await files.parts.store.write(async (write) => {
    const { share, view, node } = await findHeldBase(write, handle);
    const { id, record } = node;
    const eas = changeEas(await readEas(view, share.id, node), changes);
    const since = await putChanged(
      write,
      share,
      { id, record: withoutEas(record) },
      {
        ...easTold(eas),
        changedAt: keepsChangedAt ? record.changedAt : ticksOf(write),
        ...(record.kind === "file" ? { attributes: record.attributes | ATTRIBUTE.Archive } : {}),
      },
    );
    await putEas(write, share, id, { eas, since });
  });
}
