import { ATTRIBUTE } from "../attributes.ts";
import { changeEas, type EaRecord, eaSummary, putEas, readEas, withoutEas } from "../extended-attributes.ts";
import type { FileService } from "../file-service.ts";
import { putChanged } from "../inode-changes.ts";
import { ticksOf } from "../inodes.ts";
import { findBaseByHandle } from "./held.ts";
import type { Handle } from "./open-inode.ts";
import type { SnapshotInode } from "./past-node.ts";

/** Extended attributes by handle; those of a named stream are those of its file or directory. */
export function readEasByHandle(files: FileService, handle: Handle): Promise<readonly EaRecord[]> {
  return files.parts.store.read(async (read) => {
    const { share, view, inode } = await findBaseByHandle(read, handle);
    return kept(await readEas(view, share.id, inode));
  });
}

/** As a share snapshot has them. */
export function readSnapshotEas(files: FileService, snapshot: SnapshotInode): Promise<readonly EaRecord[]> {
  return files.parts.store.read(async (read) => {
    const { share, view } = await snapshot.find(read);
    return kept(await readEas(view, share.id, snapshot.base));
  });
}

/** A value is a view of what the store has read, which is gone with the transaction. */
function kept(eas: readonly EaRecord[]): readonly EaRecord[] {
  return eas.map(({ name, value, isNeeded }) => ({ name, value: Buffer.from(value), isNeeded }));
}

export interface ChangeEasByHandle {
  /** Those to be set; without a value, to be removed. */
  readonly changes: readonly EaRecord[];
  /** The client has set the change time by this handle. */
  readonly freezesChangedAt: boolean;
}

/** All of them or none. To REST it is a change of the file's properties like any other that comes over SMB. */
export async function changeEasByHandle(
  files: FileService,
  handle: Handle,
  { changes, freezesChangedAt }: ChangeEasByHandle,
): Promise<void> {
  await files.parts.store.write(async (write) => {
    const { share, view, inode } = await findBaseByHandle(write, handle);
    const { id, record } = inode;
    const eas = changeEas(await readEas(view, share.id, inode), changes);
    const since = await putChanged(
      write,
      share,
      { id, record: withoutEas(record) },
      {
        ...eaSummary(eas),
        changedAt: freezesChangedAt ? record.changedAt : ticksOf(write),
        ...(record.kind === "file" ? { attributes: record.attributes | ATTRIBUTE.Archive } : {}),
      },
    );
    await putEas(write, share, id, { eas, since });
  });
}
