import { Refusal } from "../../base/refusals.ts";
import type { KeySpace } from "../../store/kv.ts";
import { type Changed, type EntityChange } from "./change-entity.ts";
import type { EntityBounds } from "./entity-bounds.ts";
import { type TableRef } from "./tables.ts";
/** The change that stopped a transaction, by its place in it. Nothing of the transaction was kept. */
export declare class ChangeRefused extends Error {
    readonly name = "ChangeRefused";
    readonly index: number;
    readonly refusal: Refusal;
    constructor(index: number, refusal: Refusal);
}
/**
 * Up to 100 changes to entities of one partition, all or none, in order, with one Timestamp. They run in one
 * transaction of the store, so a reader sees all of them or none of them.
 */
export declare function transact(store: KeySpace, ref: TableRef, changes: readonly EntityChange[], bounds: EntityBounds | undefined): Promise<Changed>;
export declare function tooManyChanges(): Refusal;
