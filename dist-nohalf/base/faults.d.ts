/**
 * The world failed us: disk full, I/O error, lost connection. Logged with its cause, shown to the client as
 * 500 or 503. `isTransient` says that the same request may work later (the disk has room again).
 */
export declare class StorageFault extends Error {
    readonly name = "StorageFault";
    readonly isTransient: boolean;
    constructor(message: string, options?: {
        cause?: unknown;
        isTransient?: boolean;
    });
}
/** Stored bytes do not match their checksum. Never answered with the bytes. */
export declare class DamagedData extends StorageFault {
}
/**
 * The data directory cannot be used as it is: damaged, of a newer format, or in use. Holdfast refuses to start,
 * names the file and changes nothing.
 */
export declare class UnusableDirectory extends Error {
    readonly name = "UnusableDirectory";
}
export declare function errorCode(error: unknown): string | undefined;
/** No room left: what is there stays readable, and writing goes on when space is back. */
export declare function isOutOfSpace(error: unknown): boolean;
