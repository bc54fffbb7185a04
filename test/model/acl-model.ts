import type { SecurityDescriptor, Sid } from "../../src/concurrency/acl.ts";

/**
 * A second version of src/concurrency/acl.ts and access-inheritance.ts, one right at a time: who
 * wants to know whether a right is granted looks for the first entry that speaks about it. Identities are
 * sets of names, and what a node far below inherits is told from the top, without what lies between.
 */
export interface ModelEntry {
  readonly isAllowed: boolean;
  readonly mask: number;
  readonly name: string;
}

export const nameOf = ({ authority, subAuthorities }: Sid): string =>
  [authority, ...subAuthorities].join("-");

const OWNER_RIGHTS = "3-4";
const CREATORS = ["3-0", "3-1"];
/** Bits of a right, by the top bit of the generic right that has it: all, execute, write, read. */
const GENERIC: Readonly<Record<number, readonly number[]>> = {
  28: [0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 17, 18, 19, 20],
  29: [5, 7, 17, 20],
  30: [1, 2, 4, 8, 17, 20],
  31: [0, 3, 7, 17, 20],
};
const READ_CONTROL = 17;
const WRITE_DAC = 18;

export function modelGranted(
  { owner, entries }: { readonly owner: string; readonly entries: readonly ModelEntry[] | "none" },
  names: ReadonlySet<string>,
): number {
  let granted = 0;
  for (let bit = 0; bit <= 20; bit++) {
    if (bit > 8 && bit < 16) continue;
    if (isGranted(bit, { owner, entries }, names)) granted |= 1 << bit;
  }
  return granted;
}

function isGranted(
  bit: number,
  { owner, entries }: { readonly owner: string; readonly entries: readonly ModelEntry[] | "none" },
  names: ReadonlySet<string>,
): boolean {
  if (entries === "none") return true;
  const isOwner = names.has(owner);
  const isLimited = entries.some(({ name }) => name === OWNER_RIGHTS);
  if (isOwner && !isLimited && (bit === READ_CONTROL || bit === WRITE_DAC)) return true;
  const speaks = ({ mask, name }: ModelEntry): boolean =>
    speaksOf(mask, bit) && (name === OWNER_RIGHTS ? isOwner : names.has(name));
  return entries.find(speaks)?.isAllowed === true;
}

const has = (mask: number, bit: number): boolean => Math.floor(mask / 2 ** bit) % 2 === 1;

function speaksOf(mask: number, bit: number): boolean {
  return has(mask, bit) || [28, 29, 30, 31].some((top) => has(mask, top) && GENERIC[top]!.includes(bit));
}

/** The entries of a descriptor that count for the node itself. */
export function entriesOf({ dacl }: SecurityDescriptor): readonly ModelEntry[] | "none" {
  if (dacl === undefined) return "none";
  return dacl.aces
    .filter(({ flags }) => (flags & 8) === 0)
    .map(({ type, mask, sid }) => ({ isAllowed: type === 0, mask, name: nameOf(sid) }));
}

/**
 * The entries that count for a node `depth` directories below one with this list, all of them made by one
 * creator who gave no lists.
 */
export function modelInherited(
  { dacl }: SecurityDescriptor,
  { depth, isDirectory }: { readonly depth: number; readonly isDirectory: boolean },
  creator: { readonly user: string; readonly group: string },
): readonly ModelEntry[] {
  const down = (dacl?.aces ?? []).filter(({ flags }) => depth === 1 || (flags & 4) === 0);
  const comesTo = (bits: number) => down.filter(({ flags }) => (flags & bits) !== 0);
  const here = comesTo(isDirectory ? 2 : 1);
  // A directory also has what only passes through it.
  const passing = isDirectory ? comesTo(1).filter(({ flags }) => (flags & 4) === 0) : [];
  if (here.length === 0 && passing.length === 0)
    return [creator.user, "5-18"].map((name) => ({ isAllowed: true, mask: 0x1f_01ff, name }));
  return here.map(({ type, mask, sid }) => {
    const as = CREATORS.indexOf(nameOf(sid));
    const name = as < 0 ? nameOf(sid) : as === 0 ? creator.user : creator.group;
    return { isAllowed: type === 0, mask, name };
  });
}
