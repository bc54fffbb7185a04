/**
 * `sip`: one IPv4 address, or two joined by "-", both included. Addresses are numbers, so a range is two of
 * them.
 */
export interface AddressRange {
  readonly first: number;
  readonly last: number;
}

const MAPPED = "::ffff:";

export function parseAddressRange(text: string): AddressRange | undefined {
  const dash = text.indexOf("-");
  const first = parseIpv4(dash === -1 ? text : text.slice(0, dash));
  const last = dash === -1 ? first : parseIpv4(text.slice(dash + 1));
  if (first === undefined || last === undefined || first > last) return undefined;
  return { first, last };
}

/**
 * The address of a peer: IPv4, or IPv4 as a dual-stack socket shows it (`::ffff:10.0.0.1`). undefined for
 * true IPv6, which lies in no range a SAS can name.
 */
export function parseAddress(text: string): number | undefined {
  const isMapped = text.length > MAPPED.length && text.slice(0, MAPPED.length).toLowerCase() === MAPPED;
  return parseIpv4(isMapped ? text.slice(MAPPED.length) : text);
}

export function isWithin(range: AddressRange, address: number | undefined): boolean {
  return address !== undefined && range.first <= address && address <= range.last;
}

/**
 * Four decimal numbers. Leading zeros are refused: some read them as octal, and then mean another address.
 */
function parseIpv4(text: string): number | undefined {
  const parts = text.split(".", 5);
  if (parts.length !== 4) return undefined;
  let address = 0;
  for (const part of parts) {
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    address = address * 256 + Number(part);
  }
  return address;
}
