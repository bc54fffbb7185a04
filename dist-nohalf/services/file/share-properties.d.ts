import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import type { Writer } from "../../store/kv.ts";
import { type ShareRecord, type ShareSettings } from "../../store/records/file.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { FileService } from "./file-service.ts";
import type { SnapshotRef } from "./names.ts";
/** What clients read and set of a share as a whole. */
export interface GuardedShare {
    readonly ref: SnapshotRef;
    readonly leaseId?: string | undefined;
}
/** What a share and a snapshot of it have in common. */
export type ShareFacts = Pick<ShareRecord, "revision" | "settings" | "metadata" | "lease">;
export declare function getShare(files: FileService, { ref, leaseId }: GuardedShare): Promise<{
    readonly facts: ShareFacts;
    readonly share: ShareRecord;
    readonly now: Instant;
}>;
export declare function setShareMetadata(files: FileService, request: GuardedShare & {
    readonly metadata: Readonly<Record<string, string>>;
}): Promise<ShareRecord>;
export type SettingChanges = {
    readonly [Name in keyof ShareSettings]?: ShareSettings[Name] | undefined;
};
/** A quota below what is used is accepted: it stops growth and nothing else. */
export declare function setShareProperties(files: FileService, request: GuardedShare & {
    readonly changes: SettingChanges;
}): Promise<ShareRecord>;
export declare function setShareAcl(files: FileService, request: GuardedShare & {
    readonly policies: readonly StoredPolicy[];
}): Promise<ShareRecord>;
export declare function getShareStatistics(files: FileService, { ref, leaseId }: GuardedShare): Promise<{
    readonly revision: Revision;
    readonly bytes: number;
}>;
/** Puts what changed of a share or of one of its snapshots, as a lease does. */
export declare function putFacts(write: Writer, ref: SnapshotRef, share: ShareRecord, change: <T extends ShareFacts>(facts: T) => T): Promise<ShareFacts>;
