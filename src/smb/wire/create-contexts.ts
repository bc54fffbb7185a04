import {
  align8,
  type Decoded,
  encodeChain,
  type FileId,
  fileId,
  raw,
  struct,
  u16,
  u32,
  u64,
} from "./layout.ts";
import { refuse, STATUS } from "./status.ts";

/** A create context: a name of four letters (or a GUID) and its data. */
export interface CreateContext {
  /** One character for each byte. */
  readonly name: string;
  readonly data: Buffer;
}

const ELEMENT_BYTES = 16;
const CONTEXTS_MAX = 64;

export function decodeCreateContexts(chain: Buffer): CreateContext[] {
  const contexts: CreateContext[] = [];
  for (let rest = chain; rest.length > 0; ) {
    if (contexts.length === CONTEXTS_MAX || rest.length < ELEMENT_BYTES)
      throw refuse(STATUS.INVALID_PARAMETER);
    const next = rest.readUInt32LE(0);
    if (next !== 0 && (next % 8 !== 0 || next < ELEMENT_BYTES || next >= rest.length))
      throw refuse(STATUS.INVALID_PARAMETER);
    contexts.push(decodeElement(next === 0 ? rest : rest.subarray(0, next)));
    if (next === 0) break;
    rest = rest.subarray(next);
  }
  return contexts;
}

function decodeElement(element: Buffer): CreateContext {
  const name = within(element, element.readUInt16LE(4), element.readUInt16LE(6));
  if (name.length < 4) throw refuse(STATUS.INVALID_PARAMETER);
  const data = within(element, element.readUInt16LE(10), element.readUInt32LE(12));
  return { name: name.latin1Slice(), data };
}

function within(element: Buffer, offset: number, length: number): Buffer {
  if (length === 0) return element.subarray(0, 0);
  if (offset < ELEMENT_BYTES || offset + length > element.length) throw refuse(STATUS.INVALID_PARAMETER);
  return element.subarray(offset, offset + length);
}

export function encodeCreateContexts(contexts: readonly CreateContext[]): Buffer {
  const elements = contexts.map(({ name, data }) => {
    const nameEnd = ELEMENT_BYTES + name.length;
    const dataAt = data.length === 0 ? 0 : align8(nameEnd);
    const to = Buffer.alloc(Math.max(nameEnd, dataAt + data.length));
    to.writeUInt16LE(ELEMENT_BYTES, 4);
    to.writeUInt16LE(name.length, 6);
    to.writeUInt16LE(dataAt, 10);
    to.writeUInt32LE(data.length, 12);
    to.latin1Write(name, ELEMENT_BYTES);
    to.set(data, dataAt);
    return to;
  });
  return encodeChain(elements, 8);
}

export const maximalAccessResponse = struct(8, { queryStatus: u32(0), maximalAccess: u32(4) });
export const queryOnDiskIdResponse = struct(32, { diskFileId: u64(0), volumeId: u64(8) });
export const allocationSize = struct(8, { size: u64(0) });
export const timewarp = struct(8, { time: u64(0) });

const LEASE_FIELDS = { key: raw(0, 16), state: u32(16), flags: u32(20), duration: u64(24) };
const leaseV1 = struct(32, LEASE_FIELDS);
const leaseV2 = struct(52, { ...LEASE_FIELDS, parentKey: raw(32, 16), epoch: u16(48) });

/** Version 1 has no parent key and no epoch. */
export type LeaseContext = Decoded<typeof leaseV2> & { readonly version: 1 | 2 };

export function decodeLease(data: Buffer): LeaseContext {
  if (data.length === leaseV1.bytes)
    return { version: 1, ...leaseV1.decode(data), parentKey: Buffer.alloc(16), epoch: 0 };
  if (data.length === leaseV2.bytes) return { version: 2, ...leaseV2.decode(data) };
  throw refuse(STATUS.INVALID_PARAMETER);
}

export function encodeLease(lease: LeaseContext): Buffer {
  return lease.version === 1 ? leaseV1.encode(lease) : leaseV2.encode(lease);
}

export const durableV1Reconnect = struct(16, { fileId: fileId(0) });
export const durableV2Request = struct(32, { timeout: u32(0), flags: u32(4), createGuid: raw(16, 16) });
export const durableV2Response = struct(8, { timeout: u32(0), flags: u32(4) });
export const durableV2Reconnect = struct(36, { fileId: fileId(0), createGuid: raw(16, 16), flags: u32(32) });

/** The contexts of a CREATE that this server understands, decoded. */
export interface CreateContexts {
  readonly wantsMaximalAccess: boolean;
  readonly wantsDiskId: boolean;
  readonly lease: LeaseContext | undefined;
  readonly allocationSize: bigint | undefined;
  readonly snapshot: bigint | undefined;
  readonly securityDescriptor: Buffer | undefined;
  readonly extendedAttributes: Buffer | undefined;
  /** Names the application that opens, across the machines it runs on. */
  readonly appInstance: Buffer | undefined;
  readonly durableV1: "request" | FileId | undefined;
  readonly durableV2:
    | { readonly kind: "request"; readonly timeout: number; readonly createGuid: Buffer }
    | { readonly kind: "reconnect"; readonly fileId: FileId; readonly createGuid: Buffer }
    | undefined;
}

export function readCreateContexts(chain: Buffer): CreateContexts {
  const found = new Map(decodeCreateContexts(chain).map(({ name, data }) => [name, data]));
  const lease = found.get("RqLs");
  const size = found.get("AlSi");
  const time = found.get("TWrp");
  return {
    wantsMaximalAccess: found.has("MxAc"),
    wantsDiskId: found.has("QFid"),
    lease: lease && decodeLease(lease),
    allocationSize: size && allocationSize.decode(size).size,
    snapshot: time && timewarp.decode(time).time,
    securityDescriptor: found.get("SecD"),
    extendedAttributes: found.get("ExtA"),
    appInstance: readAppInstance(found),
    durableV1: readDurableV1(found),
    durableV2: readDurableV2(found),
  };
}

/** SMB2_CREATE_APP_INSTANCE_ID, a GUID in the place of a name. */
const APP_INSTANCE = Buffer.from("45bca66aefa7f74a9008fa462e144d74", "hex").latin1Slice();
const appInstanceRequest = struct(20, { structureSize: u16(0), id: raw(4, 16) });

function readAppInstance(found: ReadonlyMap<string, Buffer>): Buffer | undefined {
  const data = found.get(APP_INSTANCE);
  return data && Buffer.from(appInstanceRequest.decode(data).id);
}

function readDurableV1(found: ReadonlyMap<string, Buffer>): CreateContexts["durableV1"] {
  const reconnect = found.get("DHnC");
  if (reconnect !== undefined) return durableV1Reconnect.decode(reconnect).fileId;
  return found.has("DHnQ") ? "request" : undefined;
}

function readDurableV2(found: ReadonlyMap<string, Buffer>): CreateContexts["durableV2"] {
  const reconnect = found.get("DH2C");
  if (reconnect !== undefined && found.has("DH2Q")) throw refuse(STATUS.INVALID_PARAMETER);
  if (reconnect !== undefined) return { kind: "reconnect", ...durableV2Reconnect.decode(reconnect) };
  const request = found.get("DH2Q");
  return request && { kind: "request", ...durableV2Request.decode(request) };
}
