import { isIPv4, isIPv6 } from "node:net";

/**
 * IP addresses as numbers, and the networks they lie in. An IPv4 address inside IPv6 (`::ffff:10.0.0.1`) is
 * that IPv4 address: a socket connects to the same place by both spellings.
 */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

export interface IpNetwork extends IpAddress {
  readonly prefixBits: number;
}

const MAPPED_PREFIX = 0xffffn;

/** Undefined when the text is not an address. The zone of an IPv6 address (`fe80::1%eth0`) is ignored. */
export function parseIp(text: string): IpAddress | undefined {
  const [bare = ""] = text.split("%", 1);
  if (isIPv4(bare)) return { family: 4, bits: ipv4Bits(bare) };
  if (!isIPv6(bare)) return undefined;
  const bits = ipv6Bits(bare);
  return bits >> 32n === MAPPED_PREFIX ? { family: 4, bits: bits & 0xffff_ffffn } : { family: 6, bits };
}

function ipv4Bits(text: string): bigint {
  return text.split(".").reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
}

const GROUPS = 8;

/** `::` stands for the groups that are missing, and the last two groups may be written as IPv4. */
function ipv6Bits(text: string): bigint {
  const hex = text.replace(/[\d.]+\.\d+$/, (ipv4) => {
    const bits = ipv4Bits(ipv4);
    return `${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`;
  });
  const [head = [], tail = []] = hex.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const zeros = new Array<string>(GROUPS - head.length - tail.length).fill("0");
  return [...head, ...zeros, ...tail].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

/** `10.0.0.0/8`, or an address, which is a network of one. Bits beyond the prefix must be zero. */
export function parseNetwork(text: string): IpNetwork | undefined {
  const [base, prefix, ...rest] = text.split("/");
  const address = parseIp(base ?? "");
  if (address === undefined || rest.length > 0) return undefined;
  const bitsMax = widthOf(address.family);
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return undefined;
  // `::ffff:10.0.0.0/104` would mean 10.0.0.0/8 to some and a wider network to others.
  if (prefix !== undefined && address.family === 4 && base!.includes(":")) return undefined;
  const prefixBits = prefix === undefined ? bitsMax : Number(prefix);
  if (prefixBits > bitsMax) return undefined;
  const hostBits = BigInt(bitsMax - prefixBits);
  if ((address.bits >> hostBits) << hostBits !== address.bits) return undefined;
  return { ...address, prefixBits };
}

function widthOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}

export function isIn(network: IpNetwork, { family, bits }: IpAddress): boolean {
  if (family !== network.family) return false;
  const hostBits = BigInt(widthOf(family) - network.prefixBits);
  return bits >> hostBits === network.bits >> hostBits;
}

const networks = (...texts: readonly string[]): readonly IpNetwork[] =>
  texts.map((text) => parseNetwork(text)!);

const LOOPBACK = networks("127.0.0.0/8", "::1");

export function isLoopbackAddress(address: IpAddress): boolean {
  return LOOPBACK.some((network) => isIn(network, address));
}

/** 0.0.0.0 and `::`. As a destination they mean this machine. */
export function isUnspecified({ bits }: IpAddress): boolean {
  return bits === 0n;
}

/** IPv4 networks outside the Internet, and the metadata services of clouds. */
const SPECIAL_IPV4 = networks(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10", // carrier-grade NAT; 100.100.100.200 is a metadata service
  "127.0.0.0/8",
  "168.63.129.16", // the platform address of Azure
  "169.254.0.0/16", // link-local; 169.254.169.254 is the metadata service of most clouds
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
);

/**
 * Only 2000::/3 is given out for the Internet: loopback, link-local, unique local and multicast lie outside
 * it.
 */
const GLOBAL_IPV6 = parseNetwork("2000::/3")!;
const SPECIAL_IPV6 = networks(
  "2001::/23", // protocol assignments, Teredo among them
  "2001:db8::/32",
  "3fff::/20",
);

/**
 * Translation prefixes: an address in one leads to the IPv4 address inside it, `shift` bits from the right.
 */
const EMBEDDINGS = [
  { network: parseNetwork("64:ff9b::/96")!, shift: 0n },
  { network: parseNetwork("2002::/16")!, shift: 80n },
];

/** Whether an address belongs to the Internet: to no private, local or special network, by any spelling. */
export function isPublic(address: IpAddress): boolean {
  if (address.family === 4) return !SPECIAL_IPV4.some((network) => isIn(network, address));
  for (const { network, shift } of EMBEDDINGS) {
    if (isIn(network, address)) return isPublic({ family: 4, bits: (address.bits >> shift) & 0xffff_ffffn });
  }
  return isIn(GLOBAL_IPV6, address) && !SPECIAL_IPV6.some((network) => isIn(network, address));
}
