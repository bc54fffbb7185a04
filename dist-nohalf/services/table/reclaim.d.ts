import type { KeySpace } from "../../store/kv.ts";
import type { Chore } from "../reclaim/chores.ts";
/** Removes the entities of deleted tables, some at a time. Nobody can reach them any more: their table id is gone. */
export declare function reclaimTables(store: KeySpace): Chore;
