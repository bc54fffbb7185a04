import type { InodeRecord } from "../../store/records/file.ts";

/** File attributes, with the values Windows gives them: the same field for REST headers and for SMB. */
export const ATTRIBUTE = {
  ReadOnly: 0x1,
  Hidden: 0x2,
  System: 0x4,
  Directory: 0x10,
  Archive: 0x20,
  Temporary: 0x100,
  Offline: 0x1000,
  NotContentIndexed: 0x2000,
  NoScrubData: 0x2_0000,
} as const;

export type AttributeName = keyof typeof ATTRIBUTE;

export function isReadOnly({ attributes }: Pick<InodeRecord, "attributes">): boolean {
  return (attributes & ATTRIBUTE.ReadOnly) !== 0;
}

/** A file without any attribute is told as an archived one; a directory is always one. */
export function normalizedAttributes(kind: InodeRecord["kind"], attributes: number): number {
  if (kind === "directory") return attributes | ATTRIBUTE.Directory;
  const plain = attributes & ~ATTRIBUTE.Directory;
  return plain === 0 ? ATTRIBUTE.Archive : plain;
}
