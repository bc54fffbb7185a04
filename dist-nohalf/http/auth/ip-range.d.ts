/** `sip`: one IPv4 address, or two joined by "-", both included. Addresses are numbers, so a range is two of them. */
export interface AddressRange {
    readonly first: number;
    readonly last: number;
}
export declare function parseAddressRange(text: string): AddressRange | undefined;
/**
 * The address of a peer: IPv4, or IPv4 as a dual-stack socket shows it (`::ffff:10.0.0.1`). undefined for true
 * IPv6, which lies in no range a SAS can name.
 */
export declare function parseAddress(text: string): number | undefined;
export declare function isWithin(range: AddressRange, address: number | undefined): boolean;
