import { Refusal } from "../../base/refusals.js";
import { checkEntityChange, } from "../../concurrency/entity-conditions.js";
import { entityKey } from "../../store/keys/table.js";
import { packEntity, revisionOfEntity, unpackEntity } from "../../store/records/entity.js";
import { isWithin } from "./entity-bounds.js";
import { checkEntity, checkKeys, checkProperties } from "./entity-rules.js";
import { readTable } from "./tables.js";
export function changeEntity(store, ref, change, bounds) {
    checkChange(change, bounds);
    return store.write(async (write) => {
        const { id, name } = await readTable(write, ref);
        const key = entityKey(id, change);
        const current = await write.get(key);
        const revision = write.revision(current === undefined ? undefined : revisionOfEntity(current));
        applyChange(write, { key, current, change, revision });
        return { revision, table: name };
    });
}
/** What can be told before anything is read. */
export function checkChange(change, bounds) {
    checkKeys(change);
    checkProperties(change.properties);
    if (bounds !== undefined && !isWithin(bounds, change))
        throw new Refusal("AuthorizationFailure");
    if (change.kind !== "merge" && change.kind !== "insertOrMerge")
        checkEntity(change, change.properties);
}
/** Decides and writes; a refusal undoes the transaction. */
export function applyChange(write, { key, current, change, revision }) {
    const { kind, ifMatch, properties } = change;
    const verdict = checkEntityChange(kind, ifMatch, current === undefined ? undefined : revisionOfEntity(current));
    if (verdict !== "met")
        throw new Refusal(verdict);
    if (kind === "delete") {
        write.delete(key);
        return;
    }
    let whole = properties;
    if (kind === "merge" || kind === "insertOrMerge") {
        if (current !== undefined)
            whole = mergedProperties(unpackEntity(current).properties, properties);
        checkEntity(change, whole);
    }
    write.put(key, packEntity(revision, whole));
}
/** Properties keep their place when they get a new value; new ones come last. */
export function mergedProperties(present, changes) {
    const merged = new Map();
    for (const property of present)
        merged.set(property.name, property);
    for (const property of changes)
        merged.set(property.name, property);
    return [...merged.values()];
}
