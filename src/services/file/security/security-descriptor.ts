import { Refusal } from "../../../base/refusals.ts";
import { type Ace, type Acl, CONTROL, type SecurityDescriptor, type Sid } from "../../../concurrency/acl.ts";

export { CONTROL, type SecurityDescriptor } from "../../../concurrency/acl.ts";

/** Security descriptors in their self-relative form ([MS-DTYP] 2.4.6): the binary side of SDDL. */
const HEADER_BYTES = 20;
const ACL_BYTES = 8;
const ACE_BYTES = 8;
const SUB_AUTHORITIES_MAX = 15;
export const ACES_MAX = 1_820;
/** The size of an ACL has two bytes. */
const ACL_BYTES_MAX = 0xffff;

const bad = (): Refusal => new Refusal("FileInvalidPermission");

export function decodeSecurityDescriptor(data: Buffer): SecurityDescriptor {
  if (data.length < HEADER_BYTES || data[0] !== 1) throw bad();
  const control = data.readUInt16LE(2);
  if ((control & CONTROL.SELF_RELATIVE) === 0) throw bad();
  const sidAt = (at: number): Sid | undefined => {
    const offset = data.readUInt32LE(at);
    return offset === 0 ? undefined : decodeSid(data, offset);
  };
  const aclAt = (at: number, present: number): Acl | undefined => {
    const offset = data.readUInt32LE(at);
    return (control & present) === 0 || offset === 0 ? undefined : decodeAcl(data, offset);
  };
  return {
    control,
    owner: sidAt(4),
    group: sidAt(8),
    sacl: aclAt(12, CONTROL.SACL_PRESENT),
    dacl: aclAt(16, CONTROL.DACL_PRESENT),
  };
}

function decodeSid(data: Buffer, at: number): Sid {
  if (at < 0 || at + 8 > data.length || data[at] !== 1) throw bad();
  const count = data[at + 1]!;
  if (count > SUB_AUTHORITIES_MAX || at + 8 + count * 4 > data.length) throw bad();
  return {
    authority: data.readUIntBE(at + 2, 6),
    subAuthorities: Array.from({ length: count }, (_, index) => data.readUInt32LE(at + 8 + index * 4)),
  };
}

function decodeAcl(data: Buffer, at: number): Acl {
  if (at + ACL_BYTES > data.length) throw bad();
  const end = at + data.readUInt16LE(at + 2);
  const count = data.readUInt16LE(at + 4);
  if (end > data.length || count > ACES_MAX) throw bad();
  const aces: Ace[] = [];
  for (let index = 0, offset = at + ACL_BYTES; index < count; index++) {
    if (offset + ACE_BYTES > end) throw bad();
    const size = data.readUInt16LE(offset + 2);
    if (size < ACE_BYTES + 8 || offset + size > end) throw bad();
    const ace = data.subarray(offset, offset + size);
    const type = ace[0]!;
    const { at: sidAt, ...objects } = isObjectAce(type) ? decodeObjects(ace) : { at: ACE_BYTES };
    aces.push({ type, flags: ace[1]!, mask: ace.readUInt32LE(4), sid: decodeSid(ace, sidAt), ...objects });
    offset += size;
  }
  return { aces };
}

/** ACEs with GUIDs between the mask and the SID ([MS-DTYP] 2.4.4.3): allow, deny, audit, alarm. */
export const isObjectAce = (type: number): boolean => type >= 5 && type <= 8;
const HAS_OBJECT = 1;
const HAS_INHERITED_OBJECT = 2;
const GUID_BYTES = 16;

function decodeObjects(ace: Buffer): Pick<Ace, "object" | "inheritedObject"> & { readonly at: number } {
  if (ace.length < ACE_BYTES + 4) throw bad();
  const present = ace.readUInt32LE(ACE_BYTES);
  let at = ACE_BYTES + 4;
  const next = (flag: number): string | undefined => {
    if ((present & flag) === 0) return undefined;
    at += GUID_BYTES;
    if (at > ace.length) throw bad();
    return printGuid(ace.subarray(at - GUID_BYTES, at));
  };
  const [object, inheritedObject] = [next(HAS_OBJECT), next(HAS_INHERITED_OBJECT)];
  return { ...(object && { object }), ...(inheritedObject && { inheritedObject }), at };
}

function encodeObjects({ object, inheritedObject }: Ace): Buffer {
  const head = Buffer.alloc(4);
  const present = object === undefined ? 0 : HAS_OBJECT;
  head.writeUInt32LE(present | (inheritedObject === undefined ? 0 : HAS_INHERITED_OBJECT));
  const guids = [object, inheritedObject].flatMap((guid) => (guid === undefined ? [] : [encodeGuid(guid)]));
  return Buffer.concat([head, ...guids]);
}

/** The first three fields of a GUID are little-endian. */
function swapped(bytes: Buffer): Buffer {
  const to = Buffer.from(bytes);
  to.subarray(0, 4).reverse();
  to.subarray(4, 6).reverse();
  to.subarray(6, 8).reverse();
  return to;
}

function printGuid(bytes: Buffer): string {
  return swapped(bytes)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const encodeGuid = (text: string): Buffer => swapped(Buffer.from(text.replaceAll("-", ""), "hex"));

function encodeSid({ authority, subAuthorities }: Sid): Buffer {
  const to = Buffer.alloc(8 + subAuthorities.length * 4);
  to[0] = 1;
  to[1] = subAuthorities.length;
  to.writeUIntBE(authority, 2, 6);
  for (const [index, part] of subAuthorities.entries()) to.writeUInt32LE(part, 8 + index * 4);
  return to;
}

/** Refuses a descriptor that has no binary form because an ACL is too long. */
export function checkEncodable({ dacl, sacl }: SecurityDescriptor): void {
  for (const acl of [dacl, sacl]) {
    const size = (acl?.aces ?? []).reduce((sum, ace) => sum + aceBytes(ace), ACL_BYTES);
    if (size > ACL_BYTES_MAX) throw bad();
  }
}

function aceBytes({ type, sid, object, inheritedObject }: Ace): number {
  const guids = (object === undefined ? 0 : GUID_BYTES) + (inheritedObject === undefined ? 0 : GUID_BYTES);
  return ACE_BYTES + 8 + sid.subAuthorities.length * 4 + (isObjectAce(type) ? 4 + guids : 0);
}

function encodeAcl({ aces }: Acl): Buffer {
  const parts = aces.map((ace) => {
    const { type, flags, mask, sid } = ace;
    const tail = isObjectAce(type) ? Buffer.concat([encodeObjects(ace), encodeSid(sid)]) : encodeSid(sid);
    const to = Buffer.alloc(ACE_BYTES + tail.length);
    to[0] = type;
    to[1] = flags;
    to.writeUInt16LE(to.length, 2);
    to.writeUInt32LE(mask, 4);
    to.set(tail, ACE_BYTES);
    return to;
  });
  const head = Buffer.alloc(ACL_BYTES);
  head[0] = 2;
  const acl = Buffer.concat([head, ...parts]);
  if (acl.length > ACL_BYTES_MAX) throw bad();
  acl.writeUInt16LE(acl.length, 2);
  acl.writeUInt16LE(aces.length, 4);
  return acl;
}

export function encodeSecurityDescriptor(value: SecurityDescriptor): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head[0] = 1;
  head.writeUInt16LE(value.control | CONTROL.SELF_RELATIVE, 2);
  const parts: Buffer[] = [head];
  let end = HEADER_BYTES;
  const put = (at: number, bytes: Buffer | undefined): void => {
    if (bytes === undefined) return;
    head.writeUInt32LE(end, at);
    parts.push(bytes);
    end += bytes.length;
  };
  put(12, value.sacl && encodeAcl(value.sacl));
  put(16, value.dacl && encodeAcl(value.dacl));
  put(4, value.owner && encodeSid(value.owner));
  put(8, value.group && encodeSid(value.group));
  return Buffer.concat(parts);
}

/** Parts of a descriptor, as AdditionalInformation of QUERY_INFO and SET_INFO names them. */
export const SECURITY_PART = { OWNER: 1, GROUP: 2, DACL: 4, SACL: 8 } as const;

const DACL_BITS =
  CONTROL.DACL_PRESENT |
  CONTROL.DACL_AUTO_INHERITED |
  CONTROL.DACL_PROTECTED |
  CONTROL.DACL_AUTO_INHERIT_REQUIRED;
const SACL_BITS =
  CONTROL.SACL_PRESENT |
  CONTROL.SACL_AUTO_INHERITED |
  CONTROL.SACL_PROTECTED |
  CONTROL.SACL_AUTO_INHERIT_REQUIRED;

/** `base` with the named parts of `other`. */
export function mergeSecurityParts(
  base: SecurityDescriptor,
  other: SecurityDescriptor,
  parts: number,
): SecurityDescriptor {
  const has = (part: number): boolean => (parts & part) !== 0;
  const replaced = (has(SECURITY_PART.DACL) ? DACL_BITS : 0) | (has(SECURITY_PART.SACL) ? SACL_BITS : 0);
  return {
    control: (base.control & ~replaced) | (other.control & replaced) | CONTROL.SELF_RELATIVE,
    owner: has(SECURITY_PART.OWNER) ? other.owner : base.owner,
    group: has(SECURITY_PART.GROUP) ? other.group : base.group,
    dacl: has(SECURITY_PART.DACL) ? other.dacl : base.dacl,
    sacl: has(SECURITY_PART.SACL) ? other.sacl : base.sacl,
  };
}

export const NO_SECURITY: SecurityDescriptor = {
  control: CONTROL.SELF_RELATIVE,
  owner: undefined,
  group: undefined,
  sacl: undefined,
  dacl: undefined,
};
