import type { Writer } from "../../store/kv.ts";
import type { PayloadService } from "./payload-service.ts";
/** Whose extents were left behind: everyone's at the start of all, or those of processes found dead. */
export type DeadOwners = "all" | ReadonlySet<string>;
export interface Recovered {
    /** Extents left open by the dead, sealed now. What is empty among them goes the way of all empty extents. */
    readonly sealed: number;
    /** Files without a record. */
    readonly removed: number;
}
/**
 * Brings records and files together after a crash. First everything is checked and nothing is changed: a file that
 * records count on and that is not there as it should be is a reason not to start. Then what the dead left open
 * is sealed, and files that a crash brought back are removed. With "all", before the first append.
 */
export declare function recover(payload: PayloadService, dead: DeadOwners): Promise<Recovered>;
/** The extent has no file any more; homes of slices that moved away keep their place in its key range. */
export declare function forgetExtent(write: Writer, extent: bigint): void;
