export declare const OPLOCK: {
    readonly NONE: 0;
    readonly LEVEL_II: 1;
    readonly EXCLUSIVE: 8;
    readonly BATCH: 9;
    readonly LEASE: 255;
};
export declare const LEASE_STATE: {
    readonly READ: 1;
    readonly HANDLE: 2;
    readonly WRITE: 4;
};
export declare const LEASE_BREAK_ACK_REQUIRED = 1;
/** Notification, acknowledgement and answer look alike. */
export declare const oplockBreak: import("./layout.ts").Codec<import("./layout.ts").Message<{
    oplockLevel: import("./layout.ts").Field<number>;
    fileId: import("./layout.ts").Field<import("./layout.ts").FileId>;
}, Record<never, never>>>;
export declare const leaseBreakNotification: import("./layout.ts").Codec<import("./layout.ts").Message<{
    newEpoch: import("./layout.ts").Field<number>;
    flags: import("./layout.ts").Field<number>;
    leaseKey: import("./layout.ts").Field<Buffer<ArrayBufferLike>>;
    currentState: import("./layout.ts").Field<number>;
    newState: import("./layout.ts").Field<number>;
}, Record<never, never>>>;
/** Acknowledgement and answer. */
export declare const leaseBreak: import("./layout.ts").Codec<import("./layout.ts").Message<{
    flags: import("./layout.ts").Field<number>;
    leaseKey: import("./layout.ts").Field<Buffer<ArrayBufferLike>>;
    leaseState: import("./layout.ts").Field<number>;
    leaseDuration: import("./layout.ts").Field<bigint>;
}, Record<never, never>>>;
