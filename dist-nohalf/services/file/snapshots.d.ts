import { type Revision } from "../../base/revision.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import { type ShareRecord, type SnapshotRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import type { ShareRef } from "./names.ts";
/** Taking and dropping share snapshots. How they come to see the past is told in versions.ts. */
export interface Snapshot extends SnapshotRecord {
    readonly time: bigint;
}
export declare function createSnapshot(files: FileService, ref: ShareRef, metadata: Readonly<Record<string, string>> | undefined): Promise<Snapshot>;
/** Snapshots of a share, oldest first. */
export declare function readSnapshots(read: Reader, share: bigint): Promise<Snapshot[]>;
/** The newest epoch not above `epoch` that a snapshot still has; 0 when there is none. */
export declare function epochUpTo(read: Reader, share: bigint, epoch: Revision): Promise<Revision>;
/** Forgets a snapshot; what was kept for it alone is removed in the background. */
export declare function dropSnapshot(write: Writer, ref: ShareRef, share: ShareRecord, { time, epoch }: Snapshot): Promise<ShareRecord>;
export declare function isAnyLeased(read: Reader, snapshots: readonly Snapshot[]): boolean;
