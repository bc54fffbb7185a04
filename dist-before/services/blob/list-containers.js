import { containerKey, containerOfKey, containersOf, deletedContainerKey, deletedContainersOf, deletionOfKey, } from "../../store/keys/blob.js";
import { keyAfter } from "../../store/keys/pack.js";
import { containerRecord } from "../../store/records/blob.js";
import { mapped, mergeOrdered } from "./merge.js";
import { SYSTEM_CONTAINERS } from "./names.js";
/** By name; deleted ones of a name after the one that lives. One read of the range that is shown. */
export async function listContainers(blobs, request) {
    return blobs.parts.store.read(async (read) => {
        const containers = [];
        const now = read.now();
        for await (const entry of entriesOf(read, request)) {
            if (!request.includesSystem && SYSTEM_CONTAINERS.has(entry.container))
                continue;
            if (entry.record.deleted !== undefined && entry.record.deleted.until <= now)
                continue;
            if (containers.length === request.maxResults) {
                const { record: _, ...next } = containers.at(-1);
                return { containers, next, now };
            }
            containers.push(entry);
        }
        return { containers, next: undefined, now };
    });
}
function entriesOf(read, request) {
    const { account, prefix, after } = request;
    const present = after && keyAfter(containerKey(account, after.container));
    const living = mapped(read.range(startAt(containersOf(account, prefix), present)), ({ key, value }) => ({
        container: containerOfKey(key),
        record: containerRecord.unpack(value),
    }));
    if (!request.includesDeleted)
        return living;
    const past = after && keyAfter(deletedContainerKey(account, after.container, after.deletion ?? 0n));
    const deleted = mapped(read.range(startAt(deletedContainersOf(account, prefix), past)), ({ key, value }) => ({ ...deletionOfKey(key), record: containerRecord.unpack(value) }));
    return mergeOrdered(living, deleted, (one, other) => one.container < other.container);
}
function startAt(range, from) {
    return from === undefined || from <= range.from ? range : { ...range, from };
}
