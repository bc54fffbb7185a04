import type { Device, DeviceEntry, DeviceFile } from "./device.ts";
/** Files that live as long as the process: for `--inMemory` and for tests. */
export declare class MemoryDevice implements Device {
    #private;
    readonly place = "memory";
    create(name: string): Promise<DeviceFile>;
    open(name: string): Promise<DeviceFile>;
    list(): Promise<DeviceEntry[]>;
    /** A reader that has the file keeps it, as with descriptors: the pages go when the last one lets go of it. */
    remove(name: string): Promise<void>;
    syncDirectory(): Promise<void>;
}
export declare function systemError(code: string, name: string): Error;
