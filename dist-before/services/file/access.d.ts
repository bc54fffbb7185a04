import { type ByteRange, type HeldLock } from "../../concurrency/byte-range-lock.ts";
import { type Open, type RestUse } from "../../concurrency/share-mode.ts";
import type { EphemeralSpace, Key, Reader } from "../../store/kv.ts";
import { type NodeRecord, type ShareRecord } from "../../store/records/file.ts";
import type { Node } from "./nodes.ts";
interface Wanted {
    readonly share: bigint;
    readonly node: bigint;
    readonly kind: NodeRecord["kind"];
    readonly use: RestUse;
    readonly range: ByteRange | undefined;
}
/** The answer for one node. Delete-pending was refused at once; the rest waits for its place in the order. */
export interface Grant {
    /** Throws when an open handle or a lock stands in the way. */
    pass(): void;
}
/** What one REST call was granted so far. */
export declare class Grants {
    #private;
    readonly keys: Key[];
    /** To be called before anything else is checked of a node: a file that is being deleted answers nothing else. */
    ask(share: ShareRecord, node: Node, use: RestUse, range?: ByteRange): Grant;
    give(wanted: Wanted, grant: Grant): void;
    /** Nodes of a share that listings leave out. */
    hidden(share: ShareRecord): ReadonlySet<bigint>;
    /** Nodes of a share that somebody has open. */
    openNodes(share: ShareRecord): ReadonlySet<bigint>;
    giveNodes(share: bigint, pending: ReadonlySet<bigint>, open: ReadonlySet<bigint>): void;
}
/** Runs a call's transaction, again whenever it meets a node that the table of handles must be asked about. */
export declare function withGrants<T>(ephemeral: EphemeralSpace, run: (grants: Grants) => Promise<T>): Promise<T>;
/** Handles and locks of a node, in one snapshot of the ephemeral space. */
export declare function readOpens(read: Reader, share: bigint, node: bigint): Promise<{
    readonly handles: readonly (Open & {
        readonly handle: bigint;
    })[];
    readonly locks: readonly HeldLock[];
}>;
export {};
