import type { EntityKeys } from "../../base/edm.ts";
import type { KeySpace } from "../../store/kv.ts";
import { type UnpackedEntity } from "../../store/records/entity.ts";
import { type EntityBounds } from "./entity-bounds.ts";
import type { Filter } from "./filter/filter.ts";
import { type TableRef } from "./tables.ts";
export interface Entity extends EntityKeys, UnpackedEntity {
}
export interface FoundEntity {
    readonly entity: Entity;
    /** The name of the table as it was created. */
    readonly table: string;
}
/** The point query: two reads of one snapshot. */
export declare function getEntity(store: KeySpace, ref: TableRef, { partitionKey, rowKey }: EntityKeys, bounds: EntityBounds | undefined): Promise<FoundEntity>;
export interface QueryEntities {
    readonly filter?: Filter | undefined;
    readonly top?: number | undefined;
    /** Where the page before ended. Without a row, at the start of the partition. */
    readonly from?: {
        readonly partitionKey: string;
        readonly rowKey: string | undefined;
    } | undefined;
    readonly bounds?: EntityBounds | undefined;
}
export interface EntityPage {
    readonly entities: readonly Entity[];
    /** The table as it was created. */
    readonly table: string;
    /** The first entity not looked at, when there is one: the next page starts with it. */
    readonly next?: EntityKeys;
}
/**
 * One page, from one snapshot. It ends after `top` entities, or when it has looked at so much that others would
 * feel it; the continuation is a place in the order of keys, so pages stay apart whatever is written between them.
 */
export declare function queryEntities(store: KeySpace, ref: TableRef, query: QueryEntities): Promise<EntityPage>;
