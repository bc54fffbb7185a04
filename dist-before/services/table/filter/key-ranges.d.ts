import type { Range } from "../../../store/kv.ts";
import type { Filter } from "./filter.ts";
/** Ascending and apart from one another. */
export declare function keyRangesOf(table: bigint, filter: Filter | undefined): Range[];
