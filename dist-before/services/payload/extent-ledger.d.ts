import { type ExtentShape } from "../../extents/format.ts";
import type { Writer } from "../../store/kv.ts";
import { type ExtentRecord } from "../../store/records/payload.ts";
/** Changes of live bytes within one call: each extent record is read once and written once. */
export declare class ExtentLedger {
    #private;
    constructor(owner: string, shape: ExtentShape);
    add(extent: bigint, bytes: number): void;
    apply(write: Writer): Promise<void>;
}
/** Writes an extent record, and the note for the reclaimer when the extent has just become worth a look. */
export declare function putExtent(write: Writer, extent: bigint, { before, after }: {
    readonly before: ExtentRecord;
    readonly after: ExtentRecord;
}, shape: ExtentShape): void;
export declare function isMostlyDead({ bytes, liveBytes }: Pick<ExtentRecord, "bytes" | "liveBytes">): boolean;
export declare function isSmall({ bytes }: Pick<ExtentRecord, "bytes">, shape: ExtentShape): boolean;
