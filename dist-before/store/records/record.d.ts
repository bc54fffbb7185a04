/**
 * A record is one byte of format version and a MessagePack map. Each family declares its present version and how
 * to bring each older one forward; a newer one than we know is refused, never guessed at.
 */
export interface RecordType<T> {
    readonly family: string;
    pack(value: T): Buffer;
    unpack(bytes: Buffer): T;
}
export declare function recordType<T extends object>(family: string, version: number, upgrades?: Readonly<Record<number, (old: never) => object>>): RecordType<T>;
