import type { EntityKeys, Property } from "../../base/edm.ts";
import type { Revision } from "../../base/revision.ts";
import { type EntityChangeKind, type IfMatch } from "../../concurrency/entity-conditions.ts";
import type { KeySpace, Writer } from "../../store/kv.ts";
import { type EntityBounds } from "./entity-bounds.ts";
import { type TableRef } from "./tables.ts";
/** Insert, Update, Merge, Insert Or Replace, Insert Or Merge and Delete Entity: one change, however it is sent. */
export interface EntityChange extends EntityKeys {
    readonly kind: EntityChangeKind;
    /** For replace, merge and delete. */
    readonly ifMatch?: IfMatch | undefined;
    /** Without nulls and without repetitions; nothing for a delete. */
    readonly properties: readonly Property[];
}
export interface Changed {
    readonly revision: Revision;
    /** The name of the table as it was created. */
    readonly table: string;
}
export declare function changeEntity(store: KeySpace, ref: TableRef, change: EntityChange, bounds: EntityBounds | undefined): Promise<Changed>;
/** What can be told before anything is read. */
export declare function checkChange(change: EntityChange, bounds: EntityBounds | undefined): void;
export interface ChangeInPlace {
    readonly key: string;
    /** The entity as this transaction reads it. */
    readonly current: Buffer | undefined;
    readonly change: EntityChange;
    readonly revision: Revision;
}
/** Decides and writes; a refusal undoes the transaction. */
export declare function applyChange(write: Writer, { key, current, change, revision }: ChangeInPlace): void;
/** Properties keep their place when they get a new value; new ones come last. */
export declare function mergedProperties(present: readonly Property[], changes: readonly Property[]): readonly Property[];
