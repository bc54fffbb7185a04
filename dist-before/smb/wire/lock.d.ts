import { type FileId } from "./layout.ts";
export declare const LOCK_FLAG: {
    readonly SHARED: 1;
    readonly EXCLUSIVE: 2;
    readonly UNLOCK: 4;
    readonly FAIL_IMMEDIATELY: 16;
};
export interface LockElement {
    readonly offset: bigint;
    readonly length: bigint;
    readonly flags: number;
}
export interface LockRequest {
    readonly lockSequence: number;
    readonly fileId: FileId;
    readonly locks: readonly LockElement[];
}
export declare function decodeLockRequest(pdu: Buffer): LockRequest;
export declare function encodeLockRequest({ locks, ...rest }: LockRequest): Buffer;
