export interface ContainerRef {
    readonly account: string;
    readonly container: string;
}
export interface BlobRef extends ContainerRef {
    readonly blob: string;
}
/** Kept by the system on Azure: listed only when asked for. */
export declare const SYSTEM_CONTAINERS: ReadonlySet<string>;
export declare function checkContainerName(name: string): void;
export declare function checkBlobName(name: string): void;
