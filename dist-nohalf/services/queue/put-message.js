import { badQuery } from "../../base/refusals.js";
import { insertMessage } from "../../concurrency/visibility.js";
import { keepMessage, putTally, readTally, withMessageAt } from "./contents.js";
import { printMessageId } from "./message-id.js";
import { readContentsId } from "./queue-ref.js";
export function putMessage({ store, stamps }, request) {
    const { ref, text, visibilityTimeout, timeToLive } = request;
    const stamp = stamps.next();
    return store.write(async (write) => {
        const contents = await readContentsId(write, ref);
        const sequence = write.revision();
        const now = write.now();
        const outcome = insertMessage({ sequence, stamp, now, visibilityTimeout, timeToLive });
        if (!outcome.ok)
            throw outlivesMessage(visibilityTimeout);
        const state = outcome.next;
        keepMessage(write, contents, { state, text });
        const tally = withMessageAt(await readTally(write, contents), state);
        putTally(write, contents, { ...tally, count: tally.count + 1 });
        const { insertedAt, expiresAt, visibleAt } = state;
        return {
            messageId: printMessageId(contents, sequence),
            insertedAt,
            expiresAt,
            visibleAt,
            receipt: state,
        };
    });
}
export function outlivesMessage(visibilityTimeout) {
    const value = String(visibilityTimeout / 1_000);
    return badQuery("visibilitytimeout", value, "The message would not be visible before it expires.");
}
