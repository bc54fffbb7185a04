import { Refusal } from "../../../base/refusals.ts";
import {
  type Ace,
  type Acl,
  CONTROL,
  isObjectAce,
  type SecurityDescriptor,
  type Sid,
} from "./security-descriptor.ts";

/**
 * SDDL, the text form of security descriptors, which the File service keeps and REST carries: `O:BAG:SYD:(A;OICI;
 * FA;;;WD)`. Printing uses the two-letter names of well-known SIDs; reading takes those and `S-1-...`.
 */
const SIDS: Readonly<Record<string, string>> = {
  AN: "S-1-5-7",
  AO: "S-1-5-32-548",
  AU: "S-1-5-11",
  BA: "S-1-5-32-544",
  BG: "S-1-5-32-546",
  BO: "S-1-5-32-551",
  BU: "S-1-5-32-545",
  CG: "S-1-3-1",
  CO: "S-1-3-0",
  IU: "S-1-5-4",
  LS: "S-1-5-19",
  NS: "S-1-5-20",
  NU: "S-1-5-2",
  OW: "S-1-3-4",
  PS: "S-1-5-10",
  PU: "S-1-5-32-547",
  RC: "S-1-5-12",
  SU: "S-1-5-6",
  SY: "S-1-5-18",
  WD: "S-1-1-0",
};
/** Read, but printed as SIDs, as stored descriptors already have them. Names relative to a domain have no SID here. */
const READ_ONLY_SIDS: Readonly<Record<string, string>> = {
  AC: "S-1-15-2-1",
  ED: "S-1-5-9",
  HI: "S-1-16-12288",
  LU: "S-1-5-32-559",
  LW: "S-1-16-4096",
  ME: "S-1-16-8192",
  MP: "S-1-16-8448",
  MU: "S-1-5-32-558",
  NO: "S-1-5-32-556",
  PO: "S-1-5-32-550",
  RD: "S-1-5-32-555",
  RE: "S-1-5-32-552",
  RU: "S-1-5-32-554",
  SI: "S-1-16-16384",
  SO: "S-1-5-32-549",
  WR: "S-1-5-33",
};
const NAMES = new Map(Object.entries(SIDS).map(([name, sid]) => [sid, name]));

const ACE_TYPES: readonly (readonly [string, number])[] = [
  ["A", 0],
  ["D", 1],
  ["AU", 2],
  ["AL", 3],
  ["OA", 5],
  ["OD", 6],
  ["OU", 7],
  ["OL", 8],
  ["ML", 0x11],
  ["SP", 0x13],
  ["TL", 0x14],
  ["FL", 0x15],
];
const GUID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
const ACE_FLAGS: readonly (readonly [string, number])[] = [
  ["OI", 0x1],
  ["CI", 0x2],
  ["NP", 0x4],
  ["IO", 0x8],
  ["ID", 0x10],
  ["SA", 0x40],
  ["FA", 0x80],
];
const RIGHTS: readonly (readonly [string, number])[] = [
  ["GA", 0x1000_0000],
  ["GX", 0x2000_0000],
  ["GW", 0x4000_0000],
  ["GR", 0x8000_0000],
  ["FA", 0x1f_01ff],
  ["FR", 0x12_0089],
  ["FW", 0x12_0116],
  ["FX", 0x12_00a0],
  ["SD", 0x1_0000],
  ["RC", 0x2_0000],
  ["WD", 0x4_0000],
  ["WO", 0x8_0000],
  ["CC", 0x1],
  ["DC", 0x2],
  ["LC", 0x4],
  ["SW", 0x8],
  ["RP", 0x10],
  ["WP", 0x20],
  ["DT", 0x40],
  ["LO", 0x80],
  ["CR", 0x100],
];
const ACES_MAX = 1_820;
const SDDL_CHARS_MAX = 128 * 1_024;

const bad = (): Refusal => new Refusal("FileInvalidPermission");

export function printSid({ authority, subAuthorities }: Sid): string {
  return ["S-1", authority, ...subAuthorities].join("-");
}

export function parseSid(text: string): Sid {
  const full = SIDS[text] ?? READ_ONLY_SIDS[text] ?? text;
  const found = /^S-1-(\d{1,15})((?:-\d{1,10}){0,15})$/.exec(full);
  if (found === null) throw bad();
  const subAuthorities = found[2] === "" ? [] : found[2]!.slice(1).split("-").map(Number);
  const authority = Number(found[1]);
  if (authority >= 2 ** 48 || subAuthorities.some((part) => part >= 2 ** 32)) throw bad();
  return { authority, subAuthorities };
}

const shortSid = (sid: Sid): string => {
  const text = printSid(sid);
  return NAMES.get(text) ?? text;
};

/** A list that is there and is none: everybody may do everything. An empty list says the opposite. */
const NULL_ACL = "NO_ACCESS_CONTROL";
const printAcl = (acl: Acl | undefined, letter: "D" | "S", flags: string, isPresent: boolean): string => {
  if (acl !== undefined) return `${letter}:${flags}${acl.aces.map(printAce).join("")}`;
  return isPresent ? `${letter}:${NULL_ACL}` : "";
};

export function printSddl(value: SecurityDescriptor): string {
  const { owner, group, dacl, sacl, control } = value;
  const dFlags = aclFlags(
    control,
    ["P", "AR", "AI"],
    [CONTROL.DACL_PROTECTED, CONTROL.DACL_AUTO_INHERIT_REQUIRED, CONTROL.DACL_AUTO_INHERITED],
  );
  const sFlags = aclFlags(
    control,
    ["P", "AR", "AI"],
    [CONTROL.SACL_PROTECTED, CONTROL.SACL_AUTO_INHERIT_REQUIRED, CONTROL.SACL_AUTO_INHERITED],
  );
  return [
    owner === undefined ? "" : `O:${shortSid(owner)}`,
    group === undefined ? "" : `G:${shortSid(group)}`,
    printAcl(dacl, "D", dFlags, (control & CONTROL.DACL_PRESENT) !== 0),
    printAcl(sacl, "S", sFlags, (control & CONTROL.SACL_PRESENT) !== 0),
  ].join("");
}

function aclFlags(control: number, names: readonly string[], bits: readonly number[]): string {
  return names.filter((_, index) => (control & bits[index]!) !== 0).join("");
}

function printAce({ type, flags, mask, sid, object = "", inheritedObject = "" }: Ace): string {
  const name = ACE_TYPES.find(([, code]) => code === type)?.[0];
  if (name === undefined) throw bad();
  const shown = ACE_FLAGS.filter(([, bit]) => (flags & bit) !== 0).map(([letters]) => letters);
  const rights = RIGHTS.find(([, bits]) => bits === mask >>> 0)?.[0] ?? `0x${(mask >>> 0).toString(16)}`;
  return `(${name};${shown.join("")};${rights};${object};${inheritedObject};${shortSid(sid)})`;
}

export function parseSddl(text: string): SecurityDescriptor {
  if (text.length > SDDL_CHARS_MAX) throw bad();
  let control: number = CONTROL.SELF_RELATIVE;
  let owner: Sid | undefined;
  let group: Sid | undefined;
  let dacl: Acl | undefined;
  let sacl: Acl | undefined;
  let order = -1;
  // Each part runs to the next letter with a colon that stands outside of parentheses.
  const part = /([OGDS]):((?:\([^()]*\)|[^():])*?)(?=[OGDS]:|$)/y;
  while (part.lastIndex < text.length) {
    const found = part.exec(text);
    if (found === null) throw bad();
    const value = found[2]!;
    // Owner, group, DACL, SACL: each at most once, in this order.
    const place = "OGDS".indexOf(found[1]!);
    if (place <= order) throw bad();
    order = place;
    if (found[1] === "O") owner = parseSid(value);
    else if (found[1] === "G") group = parseSid(value);
    else if (found[1] === "D" && value === NULL_ACL) {
      control |= CONTROL.DACL_PRESENT;
    } else if (found[1] === "D") {
      dacl = parseAcl(value);
      control |= CONTROL.DACL_PRESENT;
      if (/^[A-Z]*P/.test(value)) control |= CONTROL.DACL_PROTECTED;
      if (/^P?(?:AR)?AI/.test(value)) control |= CONTROL.DACL_AUTO_INHERITED;
      if (/^P?AR/.test(value)) control |= CONTROL.DACL_AUTO_INHERIT_REQUIRED;
    } else if (value === NULL_ACL) {
      // It audits nothing, like no list at all; but the binary form of the two differs, and clients compare it.
      control |= CONTROL.SACL_PRESENT;
    } else {
      sacl = parseAcl(value);
      control |= CONTROL.SACL_PRESENT;
      if (/^[A-Z]*P/.test(value)) control |= CONTROL.SACL_PROTECTED;
      if (/^P?(?:AR)?AI/.test(value)) control |= CONTROL.SACL_AUTO_INHERITED;
      if (/^P?AR/.test(value)) control |= CONTROL.SACL_AUTO_INHERIT_REQUIRED;
    }
  }
  return { control, owner, group, dacl, sacl };
}

function parseAcl(text: string): Acl {
  const found = /^(?:P|AR|AI)*((?:\([^()]*\))*)$/.exec(text);
  if (found === null) throw bad();
  const aces = found[1] === "" ? [] : found[1]!.slice(1, -1).split(")(");
  if (aces.length > ACES_MAX) throw bad();
  return { aces: aces.map(parseAce) };
}

function parseAce(text: string): Ace {
  const [type = "", flags = "", rights = "", object = "", inherited = "", sid = "", ...more] =
    text.split(";");
  const code = ACE_TYPES.find(([name]) => name === type)?.[1];
  if (code === undefined || more.length > 0) throw bad();
  const guids = {
    ...(object !== "" && { object: object.toLowerCase() }),
    ...(inherited !== "" && { inheritedObject: inherited.toLowerCase() }),
  };
  const areGuids = Object.values(guids).every((guid) => isObjectAce(code) && GUID.test(guid));
  if (!areGuids) throw bad();
  const mask = parseRights(rights);
  return { type: code, flags: sumOf(flags, ACE_FLAGS), mask, sid: parseSid(sid), ...guids };
}

function parseRights(text: string): number {
  if (/^0x[0-9a-fA-F]{1,8}$/.test(text)) return Number.parseInt(text.slice(2), 16);
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 32) return Number(text);
  return sumOf(text, RIGHTS);
}

function sumOf(text: string, letters: readonly (readonly [string, number])[]): number {
  if (text.length % 2 !== 0) throw bad();
  let sum = 0;
  for (let at = 0; at < text.length; at += 2) {
    const bits = letters.find(([name]) => name === text.slice(at, at + 2))?.[1];
    if (bits === undefined) throw bad();
    sum = (sum | bits) >>> 0;
  }
  return sum;
}
