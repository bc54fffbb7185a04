import type { InodeRecord } from "../../store/records/file.ts";

/** File attributes with their values on Windows, which REST and SMB share. */
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

/** A directory always has the Directory attribute; a file without any attribute gets Archive. */
export function normalizedAttributes(kind: InodeRecord["kind"], attributes: number): number {
  if (kind === "directory") return attributes | ATTRIBUTE.Directory;
  const plain = attributes & ~ATTRIBUTE.Directory;
  return plain === 0 ? ATTRIBUTE.Archive : plain;
}
