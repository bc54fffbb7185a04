import { LIMITS } from "../../base/limits.js";
import { Refusal } from "../../base/refusals.js";
import { entityKey } from "../../store/keys/table.js";
import { revisionOfEntity } from "../../store/records/entity.js";
import { applyChange, checkChange } from "./change-entity.js";
import { readTable } from "./tables.js";
/** The change that stopped a transaction, by its place in it. Nothing of the transaction was kept. */
export class ChangeRefused extends Error {
    name = "ChangeRefused";
    index;
    refusal;
    constructor(index, refusal) {
        super(`change ${index}: ${refusal.code}`);
        this.index = index;
        this.refusal = refusal;
    }
}
/**
 * Up to 100 changes to entities of one partition, all or none, in order, with one Timestamp. They run in one
 * transaction of the store, so a reader sees all of them or none of them.
 */
export function transact(store, ref, changes, bounds) {
    checkTransaction(changes, bounds);
    return store.write(async (write) => {
        const { id, name } = await at(0, () => readTable(write, ref));
        const keys = changes.map((change) => entityKey(id, change));
        const present = await write.getMany(keys);
        const revision = write.revision(highestOf(present));
        for (const [index, change] of changes.entries()) {
            await at(index, () => applyChange(write, { key: keys[index], current: present[index], change, revision }));
        }
        return { revision, table: name };
    });
}
async function at(index, run) {
    try {
        return await run();
    }
    catch (error) {
        throw error instanceof Refusal ? new ChangeRefused(index, error) : error;
    }
}
function highestOf(entities) {
    let highest;
    for (const bytes of entities) {
        if (bytes === undefined)
            continue;
        const revision = revisionOfEntity(bytes);
        if (highest === undefined || revision > highest)
            highest = revision;
    }
    return highest;
}
function checkTransaction(changes, bounds) {
    const rows = new Set();
    for (const [index, change] of changes.entries()) {
        const refuse = (refusal) => {
            throw new ChangeRefused(index, refusal);
        };
        if (index >= LIMITS.tableBatchRequestsMax)
            refuse(tooManyChanges());
        if (change.partitionKey !== changes[0].partitionKey)
            refuse(new Refusal("CommandsInBatchActOnDifferentPartitions"));
        if (rows.has(change.rowKey))
            refuse(new Refusal("InvalidDuplicateRow"));
        rows.add(change.rowKey);
        try {
            checkChange(change, bounds);
        }
        catch (error) {
            if (!(error instanceof Refusal))
                throw error;
            refuse(error);
        }
    }
}
export function tooManyChanges() {
    return new Refusal("InvalidInput", {
        text: "The batch request operation exceeds the maximum 100 changes per change set.",
    });
}
