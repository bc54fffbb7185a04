import { QUEUE_LIMITS } from "../../base/limits-queue.js";
import { isVisible } from "../../concurrency/visibility.js";
import { keyAfter } from "../../store/keys/pack.js";
import { messageOf, readPage, readTally, visibleRange } from "./contents.js";
import { printMessageId } from "./message-id.js";
import { readContentsId } from "./queue-ref.js";
/** What a Get would give now, with nothing changed by looking. */
export function peekMessages({ store }, { ref, count }) {
    return store.read(async (read) => {
        const contents = await readContentsId(read, ref);
        const now = read.now();
        const range = visibleRange(contents, await readTally(read, contents), now);
        const found = [];
        let { from } = range;
        let skipped = 0;
        while (found.length < count && skipped < QUEUE_LIMITS.expiredPerCallMax) {
            const asked = count - found.length;
            const page = await readPage(read, from, range.to, asked);
            for (const entry of page) {
                const { state, text } = messageOf(entry);
                const { sequence, insertedAt, expiresAt, dequeueCount } = state;
                if (isVisible(state, now)) {
                    const messageId = printMessageId(contents, sequence);
                    found.push({ messageId, insertedAt, expiresAt, dequeueCount, text });
                }
                else
                    skipped++;
                from = keyAfter(entry.key);
            }
            if (page.length < asked)
                break;
        }
        return found;
    });
}
