import { Refusal } from "../../../base/refusals.ts";
import { type Ace, type Acl, CONTROL, type SecurityDescriptor, type Sid } from "../../../concurrency/acl.ts";
import { ACES_MAX, isObjectAce } from "./security-descriptor.ts";

/**
 * SDDL, the text form of security descriptors, which the File service stores and REST carries:
 * `O:BAG:SYD:(A;OICI;FA;;;WD)`. Well-known SIDs are printed by their two-letter names and parsed in both
 * forms.
 */
const sids = (prefix: string, names: Readonly<Record<string, number>>): [name: string, sid: string][] =>
  Object.entries(names).map(([name, last]) => [name, `${prefix}-${last}`]);

const PRINTED_SIDS = [
  ...sids("S-1-1", { WD: 0 }),
  ...sids("S-1-3", { CO: 0, CG: 1, OW: 4 }),
  ...sids("S-1-5", { NU: 2, IU: 4, SU: 6, AN: 7, PS: 10, AU: 11, RC: 12, SY: 18, LS: 19, NS: 20 }),
  ...sids("S-1-5-32", { BA: 544, BU: 545, BG: 546, PU: 547, AO: 548, BO: 551 }),
];
/** Parsed, but printed as SIDs, as in stored descriptors. Names relative to a domain have no SID here. */
const PARSED_SIDS = [
  ...sids("S-1-5", { ED: 9, WR: 33 }),
  ...sids("S-1-5-32", { SO: 549, PO: 550, RE: 552, RU: 554, RD: 555, NO: 556, MU: 558, LU: 559 }),
  ...sids("S-1-15-2", { AC: 1 }),
  ...sids("S-1-16", { LW: 4_096, ME: 8_192, MP: 8_448, HI: 12_288, SI: 16_384 }),
];
const SID_OF_NAME = new Map([...PRINTED_SIDS, ...PARSED_SIDS]);
const NAME_OF_SID = new Map(PRINTED_SIDS.map(([name, sid]) => [sid, name]));

type Codes = ReadonlyMap<string, number>;
const codes = (values: Readonly<Record<string, number>>): Codes => new Map(Object.entries(values));

const ACE_TYPES = codes({
  ...{ A: 0, D: 1, AU: 2, AL: 3 },
  ...{ OA: 5, OD: 6, OU: 7, OL: 8 },
  ...{ ML: 0x11, SP: 0x13, TL: 0x14, FL: 0x15 },
});
const ACE_FLAGS = codes({ OI: 0x1, CI: 0x2, NP: 0x4, IO: 0x8, ID: 0x10, SA: 0x40, FA: 0x80 });
const RIGHTS = codes({
  ...{ GA: 0x1000_0000, GX: 0x2000_0000, GW: 0x4000_0000, GR: 0x8000_0000 },
  ...{ FA: 0x1f_01ff, FR: 0x12_0089, FW: 0x12_0116, FX: 0x12_00a0 },
  ...{ SD: 0x1_0000, RC: 0x2_0000, WD: 0x4_0000, WO: 0x8_0000 },
  ...{ CC: 0x1, DC: 0x2, LC: 0x4, SW: 0x8, RP: 0x10, WP: 0x20, DT: 0x40, LO: 0x80, CR: 0x100 },
});
const NAME_OF_TYPE = new Map([...ACE_TYPES].map(([name, type]) => [type, name]));
const NAME_OF_RIGHTS = new Map([...RIGHTS].map(([name, mask]) => [mask, name]));
const ACL_FLAGS = {
  D: codes({
    P: CONTROL.DACL_PROTECTED,
    AR: CONTROL.DACL_AUTO_INHERIT_REQUIRED,
    AI: CONTROL.DACL_AUTO_INHERITED,
  }),
  S: codes({
    P: CONTROL.SACL_PROTECTED,
    AR: CONTROL.SACL_AUTO_INHERIT_REQUIRED,
    AI: CONTROL.SACL_AUTO_INHERITED,
  }),
};
const ACL_PRESENT = { D: CONTROL.DACL_PRESENT, S: CONTROL.SACL_PRESENT };
/** An ACL that is present but null grants everything (or audits nothing). An empty one grants nothing. */
const NULL_ACL = "NO_ACCESS_CONTROL";
const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SDDL_CHARS_MAX = 128 * 1_024;

const bad = (): Refusal => new Refusal("FileInvalidPermission");

export function printSid({ authority, subAuthorities }: Sid): string {
  return ["S-1", authority, ...subAuthorities].join("-");
}

export function parseSid(text: string): Sid {
  const found = /^S-1-(\d{1,15})((?:-\d{1,10}){0,15})$/.exec(SID_OF_NAME.get(text) ?? text);
  if (found === null) throw bad();
  const subAuthorities = found[2] === "" ? [] : found[2]!.slice(1).split("-").map(Number);
  const authority = Number(found[1]);
  if (authority >= 2 ** 48 || subAuthorities.some((part) => part >= 2 ** 32)) throw bad();
  return { authority, subAuthorities };
}

function shortSid(sid: Sid): string {
  const text = printSid(sid);
  return NAME_OF_SID.get(text) ?? text;
}

export function printSddl({ owner, group, dacl, sacl, control }: SecurityDescriptor): string {
  return [
    owner === undefined ? "" : `O:${shortSid(owner)}`,
    group === undefined ? "" : `G:${shortSid(group)}`,
    printAcl("D", dacl, control),
    printAcl("S", sacl, control),
  ].join("");
}

function printAcl(letter: "D" | "S", acl: Acl | undefined, control: number): string {
  if (acl === undefined && (control & ACL_PRESENT[letter]) === 0) return "";
  return `${letter}:${printBits(control, ACL_FLAGS[letter])}${acl?.aces.map(printAce).join("") ?? NULL_ACL}`;
}

function printBits(bits: number, names: Codes): string {
  let text = "";
  for (const [name, bit] of names) if ((bits & bit) !== 0) text += name;
  return text;
}

function printAce({ type, flags, mask, sid, object = "", inheritedObject = "" }: Ace): string {
  const name = NAME_OF_TYPE.get(type);
  if (name === undefined) throw bad();
  const rights = NAME_OF_RIGHTS.get(mask >>> 0) ?? `0x${(mask >>> 0).toString(16)}`;
  return `(${name};${printBits(flags, ACE_FLAGS)};${rights};${object};${inheritedObject};${shortSid(sid)})`;
}

export function parseSddl(text: string): SecurityDescriptor {
  if (text.length > SDDL_CHARS_MAX) throw bad();
  let control: number = CONTROL.SELF_RELATIVE;
  let owner: Sid | undefined;
  let group: Sid | undefined;
  const acls: { D?: Acl | undefined; S?: Acl | undefined } = {};
  let order = -1;
  // Each part runs to the next letter with a colon outside of parentheses.
  const part = /([OGDS]):((?:\([^()]*\)|[^():])*?)(?=[OGDS]:|$)/y;
  while (part.lastIndex < text.length) {
    const found = part.exec(text);
    if (found === null) throw bad();
    const [, letter, value] = found as unknown as [string, "O" | "G" | "D" | "S", string];
    // Owner, group, DACL, SACL: each at most once, in this order.
    const place = "OGDS".indexOf(letter);
    if (place <= order) throw bad();
    order = place;
    if (letter === "O") owner = parseSid(value);
    else if (letter === "G") group = parseSid(value);
    else {
      const { flags, acl } = parseAcl(value, ACL_FLAGS[letter]);
      control |= ACL_PRESENT[letter] | flags;
      acls[letter] = acl;
    }
  }
  return { control, owner, group, dacl: acls.D, sacl: acls.S };
}

/** The flags come in any order, as Windows accepts them. */
function parseAcl(text: string, names: Codes): { readonly flags: number; readonly acl: Acl | undefined } {
  const found = /^((?:P|AR|AI)*)(NO_ACCESS_CONTROL|(?:\([^()]*\))*)$/.exec(text);
  if (found === null) throw bad();
  const [, letters, list] = found as unknown as [string, string, string];
  const flags = (letters.match(/P|AR|AI/g) ?? []).reduce((sum, name) => sum | names.get(name)!, 0);
  if (list === NULL_ACL) return { flags, acl: undefined };
  const aces = list === "" ? [] : list.slice(1, -1).split(")(");
  if (aces.length > ACES_MAX) throw bad();
  return { flags, acl: { aces: aces.map(parseAce) } };
}

function parseAce(text: string): Ace {
  const [type = "", flags = "", rights = "", object = "", inheritedObject = "", sid = "", ...more] =
    text.split(";");
  const code = ACE_TYPES.get(type);
  if (code === undefined || more.length > 0) throw bad();
  const guids = {
    ...(object !== "" && { object: object.toLowerCase() }),
    ...(inheritedObject !== "" && { inheritedObject: inheritedObject.toLowerCase() }),
  };
  if (!Object.values(guids).every((guid) => isObjectAce(code) && GUID.test(guid))) throw bad();
  const mask = parseRights(rights);
  return { type: code, flags: parseBits(flags, ACE_FLAGS), mask, sid: parseSid(sid), ...guids };
}

function parseRights(text: string): number {
  if (/^0x[0-9a-fA-F]{1,8}$/.test(text)) return Number.parseInt(text.slice(2), 16);
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 32) return Number(text);
  return parseBits(text, RIGHTS);
}

/** The sum of two-letter names. */
function parseBits(text: string, names: Codes): number {
  if (text.length % 2 !== 0) throw bad();
  let sum = 0;
  for (let at = 0; at < text.length; at += 2) {
    const bits = names.get(text.slice(at, at + 2));
    if (bits === undefined) throw bad();
    sum = (sum | bits) >>> 0;
  }
  return sum;
}
