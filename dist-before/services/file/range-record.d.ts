import type { RangeRecord, SliceName } from "../../store/records/file.ts";
/** Written ranges as values: how long they are, and what is left of one when a part is taken away. */
export declare function lengthOf(record: RangeRecord): number;
export declare function slicesOf(record: RangeRecord): readonly SliceName[];
/** `length` bytes of the record from `start` on. It names only those slices that it still needs. */
export declare function partOf(record: RangeRecord, start: number, length: number): RangeRecord;
/** How often each slice is named by `after`, less how often by `before`. */
export declare function sliceChanges(before: readonly RangeRecord[], after: readonly RangeRecord[]): {
    readonly shared: SliceName[];
    readonly dropped: SliceName[];
};
