import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import { easKey } from "../../store/keys/file.ts";
import type { Writer } from "../../store/kv.ts";
import { type EaRecord, easRecord } from "../../store/records/extended-attributes.ts";
import type { InodeRecord, ShareRecord } from "../../store/records/file.ts";
import { FILE_LIMITS } from "./limits.ts";
import { changeUsage } from "./shares.ts";
import { bodyOf, deleteVersioned, putVersioned, type View } from "./versions.ts";

export type { EaRecord } from "../../store/records/extended-attributes.ts";

/**
 * Extended attributes of files and directories: names with values that SMB clients set. REST cannot see them.
 *
 * They have a record of their own, and the inode stores their size, so a file without any costs no lookup.
 * One transaction writes both records, and snapshots keep versions of both.
 */

/** The sizes of a list and of an element as OS/2 defined them, which FileEaInformation reports. */
const LIST_BYTES = 4;
const ELEMENT_BYTES = 5;

export function eaSizeOf(eas: readonly EaRecord[]): number {
  const sum = (bytes: number, { name, value }: EaRecord): number =>
    bytes + ELEMENT_BYTES + name.length + value.length;
  return eas.length === 0 ? 0 : eas.reduce(sum, LIST_BYTES);
}

/** The list after a change. An attribute that is set moves to the end; an empty value removes it. */
export function changeEas(present: readonly EaRecord[], changes: readonly EaRecord[]): readonly EaRecord[] {
  const byName = new Map(present.map((ea) => [ea.name.toUpperCase(), ea]));
  for (const ea of changes) {
    const folded = ea.name.toUpperCase();
    byName.delete(folded);
    if (ea.value.length > 0) byName.set(folded, ea);
  }
  const eas = [...byName.values()];
  if (eaSizeOf(eas) > FILE_LIMITS.eaBytesMax) throw new Refusal("ExtendedAttributesTooLarge");
  return eas;
}

/** The fields of the inode that describe its extended attributes. */
export function eaSummary(eas: readonly EaRecord[]): Pick<InodeRecord, "eaSize" | "needsEas"> {
  if (eas.length === 0) return {};
  const needsEas = eas.some(({ isNeeded }) => isNeeded);
  return { eaSize: eaSizeOf(eas), ...(needsEas ? { needsEas } : {}) };
}

/** The inode without those fields. */
export function withoutEas(record: InodeRecord): InodeRecord {
  if (record.eaSize === undefined) return record;
  const { eaSize: _, needsEas: __, ...rest } = record;
  return rest;
}

export async function readEas(
  view: View,
  share: bigint,
  { id, record }: { readonly id: bigint; readonly record: InodeRecord },
): Promise<readonly EaRecord[]> {
  if (record.eaSize === undefined) return [];
  const stored = await view.get(easKey(share, id));
  return stored === undefined ? [] : easRecord.unpack(stored);
}

/** The caller writes the inode too. */
export async function putEas(
  write: Writer,
  share: ShareRecord,
  inode: bigint,
  { eas, since }: { readonly eas: readonly EaRecord[]; readonly since: Revision },
): Promise<void> {
  if (eas.length === 0) return removeEas(write, share, inode);
  const key = easKey(share.id, inode);
  const stored = await write.get(key);
  await changeUsage(write, share, eaSizeOf(eas) - sizeStored(stored));
  putVersioned(write, share, { key, packed: easRecord.pack(eas, since), stored });
}

export async function removeEas(write: Writer, share: ShareRecord, inode: bigint): Promise<void> {
  const key = easKey(share.id, inode);
  const stored = await write.get(key);
  if (stored === undefined) return;
  await changeUsage(write, share, -sizeStored(stored));
  deleteVersioned(write, share, key, stored);
}

/** Extended attributes count towards the quota; 64 KiB for each empty file would otherwise bypass it. */
function sizeStored(stored: Buffer | undefined): number {
  return stored === undefined ? 0 : eaSizeOf(easRecord.unpack(bodyOf(stored)));
}
