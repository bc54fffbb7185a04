import type { EphemeralSpace, KeySpace, Reader, Writer } from "./kv.ts";
export declare class OwnedSpace implements EphemeralSpace {
    #private;
    readonly owner: string;
    constructor(space: KeySpace, owner: string);
    read<T>(fn: (read: Reader) => Promise<T>): Promise<T>;
    write<T>(fn: (write: Writer) => Promise<T>): Promise<T>;
    releaseOwner(owner: string): Promise<void>;
}
