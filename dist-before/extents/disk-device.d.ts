import { type Device, type DeviceEntry, type DeviceFile } from "./device.ts";
/** A directory of the file system. */
export declare class DiskDevice implements Device {
    readonly place: string;
    private constructor();
    /** Makes the directory when it is not there yet, and makes sure that a crash does not take it away again. */
    static at(directory: string): DiskDevice;
    create(name: string): Promise<DeviceFile>;
    open(name: string): Promise<DeviceFile>;
    list(): Promise<DeviceEntry[]>;
    remove(name: string): Promise<void>;
    syncDirectory(): Promise<void>;
}
