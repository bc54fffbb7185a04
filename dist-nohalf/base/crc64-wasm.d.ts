export declare const INPUT_BYTES_MAX: number;
export interface Crc64Engine {
    /** Low and high half of the state. */
    readonly state: Int32Array;
    /** Adds up to INPUT_BYTES_MAX bytes to the state. */
    add(bytes: Uint8Array): void;
}
export declare function startCrc64(): Crc64Engine;
