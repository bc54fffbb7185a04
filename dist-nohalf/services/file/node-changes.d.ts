import type { Revision } from "../../base/revision.ts";
import type { RestUse } from "../../concurrency/share-mode.ts";
import type { Writer } from "../../store/kv.ts";
import type { NodeRecord, ShareRecord } from "../../store/records/file.ts";
import type { Grants } from "./access.ts";
import type { PathRef } from "./names.ts";
import { type Node } from "./nodes.ts";
import type { PermissionWish } from "./permissions.ts";
import { type View } from "./versions.ts";
/** What a client may say of a file or directory beside its content. */
export interface NodeWishes {
    readonly attributes?: number | undefined;
    readonly createdAt?: bigint | "now" | "preserve" | undefined;
    readonly writtenAt?: bigint | "now" | "preserve" | undefined;
    readonly changedAt?: bigint | "now" | undefined;
    readonly permission?: PermissionWish;
}
export declare function settleTime(wish: bigint | "now" | "preserve" | undefined, now: bigint, present: bigint): bigint;
export interface FileChange {
    readonly ref: PathRef;
    readonly leaseId?: string | undefined;
}
export interface OpenedFile {
    readonly share: ShareRecord;
    readonly view: View;
    readonly node: Node;
}
/**
 * The order in which a file answers a call that changes it: is it there, is it being deleted, is it read-only, is
 * it leased, is a copy into it under way, is it open in a way that excludes this, is a part of it locked.
 */
export declare function openForChange(write: Writer, grants: Grants, { ref, leaseId }: FileChange, use: RestUse, options?: {
    readonly ignoresReadOnly?: boolean;
    readonly ignoresCopy?: boolean;
}): Promise<OpenedFile>;
export declare function checkChange(write: Writer, grants: Grants, share: ShareRecord, node: Node, leaseId: string | undefined, use: RestUse, options?: {
    readonly ignoresReadOnly?: boolean;
    readonly ignoresCopy?: boolean;
}): void;
/** A directory into which something is put must not be on its way out. */
export declare function checkParent(view: View, grants: Grants, share: ShareRecord, parent: bigint): Promise<void>;
/** Puts a changed node: a new revision, a new change time, and what is left of an old lease gone. */
export declare function putChanged(write: Writer, share: ShareRecord, { id, record }: Node, changes: Partial<NodeRecord>): Promise<Revision>;
