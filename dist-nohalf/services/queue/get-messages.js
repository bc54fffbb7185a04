import { QUEUE_LIMITS } from "../../base/limits-queue.js";
import { isExpired, takeMessage } from "../../concurrency/visibility.js";
import { keyAfter } from "../../store/keys/pack.js";
import { dropMessage, messageOf, moveMessage, putTally, readPage, readTally, visibleRange, } from "./contents.js";
import { printMessageId } from "./message-id.js";
import { readContentsId } from "./queue-ref.js";
/**
 * Chooses, counts and hides in one transaction. Transactions are serializable over all processes, so two takers
 * never get the same message while it is hidden; and the reply leaves when the hiding is durable.
 */
export function getMessages({ store, stamps }, request) {
    const { ref, count, visibilityTimeout } = request;
    const stamp = stamps.next();
    return store.write(async (write) => {
        const contents = await readContentsId(write, ref);
        const now = write.now();
        const { found, tally } = await readHead(write, contents, { count, now });
        const taken = found.map((message) => {
            const { state, text } = message;
            const next = takeMessage(state, { stamp, now, visibilityTimeout });
            moveMessage(write, contents, message, next);
            const { sequence, insertedAt, expiresAt, visibleAt, dequeueCount } = next;
            const messageId = printMessageId(contents, sequence);
            return { messageId, insertedAt, expiresAt, dequeueCount, text, visibleAt, receipt: next };
        });
        if (tally !== undefined)
            putTally(write, contents, tally);
        return taken;
    });
}
/**
 * The first visible messages, for the caller to move. Expired ones on the way are dropped; the head of the tally
 * moves past all of them, so the next Get does not walk over where they were.
 */
async function readHead(write, contents, { count, now }) {
    const tally = await readTally(write, contents);
    const { from: head, to } = visibleRange(contents, tally, now);
    const found = [];
    let from = head;
    let dropped = 0;
    let isAtEnd = false;
    let last;
    while (found.length < count && !isAtEnd && dropped < QUEUE_LIMITS.expiredPerCallMax) {
        const asked = count - found.length;
        const page = await readPage(write, from, to, asked);
        isAtEnd = page.length < asked;
        for (const entry of page) {
            const message = messageOf(entry);
            last = message.state;
            if (isExpired(message.state, now)) {
                dropMessage(write, contents, message);
                dropped++;
            }
            else {
                found.push(message);
            }
            from = keyAfter(entry.key);
        }
    }
    if (last === undefined)
        return { found, tally: undefined };
    const next = isAtEnd
        ? { headVisibleAt: now + 1, headSequence: 0n }
        : { headVisibleAt: last.visibleAt, headSequence: last.sequence + 1n };
    return { found, tally: { count: tally.count - dropped, ...next } };
}
