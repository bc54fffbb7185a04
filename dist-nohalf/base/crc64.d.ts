/**
 * CRC-64/NVME, the checksum Azure calls x-ms-content-crc64: fed in pieces, given as eight bytes, lowest first.
 */
export declare class Crc64 {
    #private;
    update(bytes: Uint8Array): this;
    /** What has come so far; more may follow. */
    digest(): Buffer;
    /** As x-ms-content-crc64 carries it. */
    base64(): string;
}
export declare function crc64Base64(bytes: Uint8Array): string;
