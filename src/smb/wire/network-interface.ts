import { isIP } from "node:net";
import { raw, struct, u32, u64 } from "./layout.ts";

/** An entry of QUERY_NETWORK_INTERFACE_INFO: an address of the server as a Windows socket address. */
const entry = struct(152, {
  next: u32(0),
  index: u32(4),
  capability: u32(8),
  linkSpeed: u64(16),
  address: raw(24, 128),
});

const FAMILY_IPV4 = 2;
const FAMILY_IPV6 = 0x17;
const MAPPED = /^::ffff:(?=\d+\.)/i;

interface NetworkInterface {
  readonly index: number;
  /** Bits per second. */
  readonly linkSpeed: bigint;
  readonly address: string;
}

export function encodeNetworkInterface({ index, linkSpeed, address }: NetworkInterface): Buffer {
  const to = Buffer.alloc(128);
  const plain = address.replace(MAPPED, "").replace(/%.*$/, "");
  if (isIP(plain) === 4) {
    to.writeUInt16LE(FAMILY_IPV4, 0);
    to.set(plain.split(".").map(Number), 4);
  } else if (isIP(plain) === 6) {
    to.writeUInt16LE(FAMILY_IPV6, 0);
    to.set(ipv6Bytes(plain), 8);
  }
  return entry.encode({ next: 0, index, capability: 0, linkSpeed, address: to });
}

function ipv6Bytes(address: string): Buffer {
  const [head = "", tail] = address.split("::");
  const words = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((word) => parseInt(word, 16));
  const before = words(head);
  const after = words(tail ?? "");
  const bytes = Buffer.alloc(16);
  for (const [at, word] of before.entries()) bytes.writeUInt16BE(word, at * 2);
  for (const [at, word] of after.entries()) bytes.writeUInt16BE(word, 16 - (after.length - at) * 2);
  return bytes;
}
