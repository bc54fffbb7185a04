import { Refusal } from "../../base/refusals.js";
import { updateMessage as ruleOfUpdate } from "../../concurrency/visibility.js";
import { findMessage, keepMessage, moveMessage, putTally, readTally, withMessageAt } from "./contents.js";
import { checkNamed } from "./named-message.js";
import { outlivesMessage } from "./put-message.js";
import { readContentsId } from "./queue-ref.js";
/** Hides the message from now on for as long as asked, and replaces its text. The new receipt is the valid one. */
export function updateMessage({ store, stamps }, request) {
    const { ref, messageId, receipt, visibilityTimeout, text } = request;
    const stamp = stamps.next();
    return store.write(async (write) => {
        const contents = await readContentsId(write, ref);
        checkNamed({ contents, messageId, receipt });
        const found = await findMessage(write, contents, receipt);
        const hiding = { stamp, now: write.now(), visibilityTimeout };
        const outcome = ruleOfUpdate(found?.state, receipt, hiding);
        if (!outcome.ok) {
            throw outcome.why === "notFound" ? new Refusal("MessageNotFound") : outlivesMessage(visibilityTimeout);
        }
        if (text === undefined)
            moveMessage(write, contents, found, outcome.next);
        else {
            write.delete(found.entry.key);
            keepMessage(write, contents, { state: outcome.next, text });
        }
        const tally = await readTally(write, contents);
        const next = withMessageAt(tally, outcome.next);
        if (next !== tally)
            putTally(write, contents, next);
        return outcome.next;
    });
}
