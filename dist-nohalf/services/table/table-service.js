import { Refusal } from "../../base/refusals.js";
import { changeEntity } from "./change-entity.js";
import { transact } from "./entity-group-transaction.js";
import { getEntity, queryEntities, } from "./query-entities.js";
import { reclaimTables } from "./reclaim.js";
import * as tables from "./tables.js";
/**
 * The Table service: what its operations mean, each one transaction. `bounds` is the part of the table the caller
 * may touch: queries show nothing beyond it, changes beyond it are refused.
 */
export class TableService {
    parts;
    constructor(parts) {
        this.parts = parts;
    }
    createTable(ref) {
        return tables.createTable(this.parts.store, ref);
    }
    getTable(ref) {
        return tables.getTable(this.parts.store, ref);
    }
    queryTables(query) {
        return tables.queryTables(this.parts.store, query);
    }
    deleteTable(ref) {
        return tables.deleteTable(this.parts.store, ref);
    }
    getTableAcl(ref) {
        return tables.getTableAcl(this.parts.store, ref);
    }
    setTableAcl(ref, policies) {
        return tables.setTableAcl(this.parts.store, ref, policies);
    }
    async changeEntity(ref, change, bounds) {
        return changeEntity(this.parts.store, ref, change, bounds);
    }
    async transact(ref, changes, bounds) {
        return transact(this.parts.store, ref, changes, bounds);
    }
    async getEntity(ref, keys, bounds) {
        return getEntity(this.parts.store, ref, keys, bounds);
    }
    async queryEntities(ref, query) {
        return queryEntities(this.parts.store, ref, query);
    }
    /** Stored access policies of a table; undefined when there is no such table. */
    async policies(account, name) {
        try {
            return await this.getTableAcl({ account, table: name });
        }
        catch (error) {
            if (error instanceof Refusal)
                return undefined;
            throw error;
        }
    }
    /** Its work in the background. */
    chores() {
        return [reclaimTables(this.parts.store)];
    }
}
