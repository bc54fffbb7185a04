import type { EntityKeys } from "../../base/edm.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { ServiceParts } from "../parts.ts";
import type { Chore } from "../reclaim/chores.ts";
import { type Changed, type EntityChange } from "./change-entity.ts";
import type { EntityBounds } from "./entity-bounds.ts";
import { type EntityPage, type FoundEntity, type QueryEntities } from "./query-entities.ts";
import * as tables from "./tables.ts";
/**
 * The Table service: what its operations mean, each one transaction. `bounds` is the part of the table the caller
 * may touch: queries show nothing beyond it, changes beyond it are refused.
 */
export declare class TableService {
    readonly parts: ServiceParts;
    constructor(parts: ServiceParts);
    createTable(ref: tables.TableRef): Promise<void>;
    getTable(ref: tables.TableRef): Promise<string>;
    queryTables(query: tables.QueryTables): Promise<tables.TablePage>;
    deleteTable(ref: tables.TableRef): Promise<void>;
    getTableAcl(ref: tables.TableRef): Promise<readonly StoredPolicy[]>;
    setTableAcl(ref: tables.TableRef, policies: readonly StoredPolicy[]): Promise<void>;
    changeEntity(ref: tables.TableRef, change: EntityChange, bounds?: EntityBounds): Promise<Changed>;
    transact(ref: tables.TableRef, changes: readonly EntityChange[], bounds?: EntityBounds): Promise<Changed>;
    getEntity(ref: tables.TableRef, keys: EntityKeys, bounds?: EntityBounds): Promise<FoundEntity>;
    queryEntities(ref: tables.TableRef, query: QueryEntities): Promise<EntityPage>;
    /** Stored access policies of a table; undefined when there is no such table. */
    policies(account: string, name: string): Promise<readonly StoredPolicy[] | undefined>;
    /** Its work in the background. */
    chores(): readonly Chore[];
}
