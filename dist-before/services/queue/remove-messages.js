import { QUEUE_LIMITS } from "../../base/limits-queue.js";
import { contentsOfDiscardedKey, DISCARDED, discardedKey, expiredRange, messageKey, messagesOf, readExpiryKey, tallyKey, } from "../../store/keys/queue.js";
import { placeRecord } from "../../store/records/queue.js";
import { dropMessage, messageOf, putTally, readTally } from "./contents.js";
/** What the Queue service does in the background. Each step is one short transaction. */
export function queueChores({ store }) {
    const interval = QUEUE_LIMITS.sweepIntervalMillis;
    return [
        { name: "expired messages", interval, run: () => removeExpired(store) },
        { name: "messages of deleted queues", interval, run: () => removeDiscarded(store) },
    ];
}
async function firstOf(read, range) {
    const found = [];
    for await (const entry of read.range({ ...range, limit: QUEUE_LIMITS.sweptPerStep }))
        found.push(entry);
    return found;
}
/** Expired messages nobody can see any more: they go, and are no longer counted. */
async function removeExpired(store) {
    // A look first: most of the time there is nothing, and looking needs no turn to write.
    const isAny = await store.read(async (read) => {
        for await (const _ of read.range({ ...expiredRange(read.now()), limit: 1 }))
            return true;
        return false;
    });
    if (!isAny)
        return "done";
    return store.write(async (write) => {
        const expired = await firstOf(write, expiredRange(write.now()));
        const removed = new Map();
        for (const { key, value } of expired) {
            const { contents, sequence } = readExpiryKey(key);
            write.delete(key);
            const place = messageKey(contents, placeRecord.unpack(value), sequence);
            // Contents that were discarded may be gone already, and their tally with them.
            if ((await write.get(place)) === undefined)
                continue;
            write.delete(place);
            removed.set(contents, (removed.get(contents) ?? 0) + 1);
        }
        for (const [contents, count] of removed) {
            const tally = await readTally(write, contents);
            putTally(write, contents, { ...tally, count: tally.count - count });
        }
        return expired.length < QUEUE_LIMITS.sweptPerStep ? "done" : "more";
    });
}
/** What deleted and cleared queues left behind. */
async function removeDiscarded(store) {
    const discarded = await store.read(async (read) => {
        for await (const { key } of read.range({ ...DISCARDED, limit: 1 }))
            return contentsOfDiscardedKey(key);
        return undefined;
    });
    if (discarded === undefined)
        return "done";
    await store.write(async (write) => {
        const left = await firstOf(write, messagesOf(discarded));
        for (const entry of left)
            dropMessage(write, discarded, messageOf(entry));
        if (left.length === QUEUE_LIMITS.sweptPerStep) {
            const tally = await readTally(write, discarded);
            putTally(write, discarded, { ...tally, count: tally.count - left.length });
            return;
        }
        write.delete(tallyKey(discarded));
        write.delete(discardedKey(discarded));
    });
    return "more";
}
