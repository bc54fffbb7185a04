import type { FileTime } from "../wire/filetime.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { textOf, utf16 } from "../wire/text.ts";

/** The three messages of NTLM ([MS-NLMP] 2.2.1). */
const SIGNATURE = Buffer.from("NTLMSSP\0", "latin1");
const TYPE = { NEGOTIATE: 1, CHALLENGE: 2, AUTHENTICATE: 3 } as const;

export const NTLM_FLAG = {
  UNICODE: 0x1,
  REQUEST_TARGET: 0x4,
  SIGN: 0x10,
  SEAL: 0x20,
  NTLM: 0x200,
  ANONYMOUS: 0x800,
  ALWAYS_SIGN: 0x8000,
  TARGET_TYPE_SERVER: 0x2_0000,
  EXTENDED_SESSIONSECURITY: 0x8_0000,
  TARGET_INFO: 0x80_0000,
  VERSION: 0x200_0000,
  KEY_128: 0x2000_0000,
  KEY_EXCH: 0x4000_0000,
  KEY_56: 0x8000_0000,
} as const;

const ALWAYS =
  NTLM_FLAG.UNICODE |
  NTLM_FLAG.REQUEST_TARGET |
  NTLM_FLAG.NTLM |
  NTLM_FLAG.ALWAYS_SIGN |
  NTLM_FLAG.TARGET_TYPE_SERVER |
  NTLM_FLAG.EXTENDED_SESSIONSECURITY |
  NTLM_FLAG.TARGET_INFO |
  NTLM_FLAG.VERSION;
/** Returned only to a client that offered them. */
const IF_OFFERED =
  NTLM_FLAG.SIGN | NTLM_FLAG.SEAL | NTLM_FLAG.KEY_128 | NTLM_FLAG.KEY_EXCH | NTLM_FLAG.KEY_56;

/** Windows 6.1, NTLM revision 15, the version that clients know best. */
const VERSION = Buffer.from("060100000000000f", "hex");

const AV = {
  END: 0,
  NB_COMPUTER: 1,
  NB_DOMAIN: 2,
  DNS_COMPUTER: 3,
  DNS_DOMAIN: 4,
  FLAGS: 6,
  TIMESTAMP: 7,
} as const;
const AV_MIC_PRESENT = 2;
const AV_PAIRS_MAX = 64;

const bad = () => refuse(STATUS.INVALID_PARAMETER);

function typeOf(message: Buffer, bytesMin: number): number {
  if (message.length < bytesMin || !message.subarray(0, 8).equals(SIGNATURE)) throw bad();
  return message.readUInt32LE(8);
}

export function decodeNtlmNegotiate(message: Buffer): { readonly flags: number } {
  if (typeOf(message, 16) !== TYPE.NEGOTIATE) throw bad();
  return { flags: message.readUInt32LE(12) };
}

export interface NtlmChallenge {
  /** The flags that the client offered. */
  readonly offered: number;
  readonly serverChallenge: Buffer;
  readonly serverName: string;
  readonly time: FileTime;
}

export function encodeNtlmChallenge({ offered, serverChallenge, serverName, time }: NtlmChallenge): Buffer {
  const name = utf16(serverName);
  const stamp = Buffer.alloc(8);
  stamp.writeBigUInt64LE(time);
  const dnsName = utf16(serverName.toLowerCase());
  const info = Buffer.concat([
    avPair(AV.NB_DOMAIN, name),
    avPair(AV.NB_COMPUTER, name),
    avPair(AV.DNS_DOMAIN, dnsName),
    avPair(AV.DNS_COMPUTER, dnsName),
    avPair(AV.TIMESTAMP, stamp),
    avPair(AV.END, Buffer.alloc(0)),
  ]);
  const head = Buffer.alloc(56);
  head.set(SIGNATURE);
  head.writeUInt32LE(TYPE.CHALLENGE, 8);
  writeSpan(head, 12, name.length, 56);
  head.writeUInt32LE((ALWAYS | (offered & IF_OFFERED)) >>> 0, 20);
  head.set(serverChallenge, 24);
  writeSpan(head, 40, info.length, 56 + name.length);
  head.set(VERSION, 48);
  return Buffer.concat([head, name, info]);
}

function avPair(id: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, value]);
}

function writeSpan(to: Buffer, at: number, length: number, offset: number): void {
  to.writeUInt16LE(length, at);
  to.writeUInt16LE(length, at + 2);
  to.writeUInt32LE(offset, at + 4);
}

export interface NtlmAuthenticate {
  readonly ntResponse: Buffer;
  readonly domain: string;
  readonly user: string;
  readonly workstation: string;
  readonly encryptedSessionKey: Buffer;
  readonly flags: number;
}

export const MIC_AT = 72;
export const MIC_BYTES = 16;

export function decodeNtlmAuthenticate(message: Buffer): NtlmAuthenticate {
  if (typeOf(message, 64) !== TYPE.AUTHENTICATE) throw bad();
  const span = (at: number): Buffer => {
    const length = message.readUInt16LE(at);
    const offset = message.readUInt32LE(at + 4);
    if (length === 0) return message.subarray(0, 0);
    if (offset + length > message.length) throw bad();
    return message.subarray(offset, offset + length);
  };
  const flags = message.readUInt32LE(60);
  const text = (at: number): string =>
    (flags & NTLM_FLAG.UNICODE) !== 0 ? textOf(span(at)) : span(at).latin1Slice();
  return {
    ntResponse: span(20),
    domain: text(28),
    user: text(36),
    workstation: text(44),
    encryptedSessionKey: span(52),
    flags,
  };
}

/** Whether the AV pairs in the blob of an NTLMv2 response run up to an end. */
export function areAvPairsWhole(blob: Buffer): boolean {
  for (let at = 28, count = 0; count < AV_PAIRS_MAX; count++) {
    if (at + 4 > blob.length) return false;
    if (blob.readUInt16LE(at) === AV.END) return true;
    at += 4 + blob.readUInt16LE(at + 2);
  }
  return false;
}

/** Whether the blob of an NTLMv2 response announces a MIC. */
export function hasMic(blob: Buffer): boolean {
  for (let at = 28, count = 0; at + 4 <= blob.length && count < AV_PAIRS_MAX; count++) {
    const id = blob.readUInt16LE(at);
    const length = blob.readUInt16LE(at + 2);
    if (id === AV.END || at + 4 + length > blob.length) return false;
    if (id === AV.FLAGS && length >= 4) return (blob.readUInt32LE(at + 4) & AV_MIC_PRESENT) !== 0;
    at += 4 + length;
  }
  return false;
}
