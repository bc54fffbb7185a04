import { Refusal } from "../../base/refusals.js";
import { deleteMessage as ruleOfDelete } from "../../concurrency/visibility.js";
import { dropMessage, findMessage, putTally, readTally } from "./contents.js";
import { checkNamed } from "./named-message.js";
import { readContentsId } from "./queue-ref.js";
export function deleteMessage({ store }, request) {
    const { ref, messageId, receipt } = request;
    return store.write(async (write) => {
        const contents = await readContentsId(write, ref);
        checkNamed({ contents, messageId, receipt });
        const found = await findMessage(write, contents, receipt);
        if (found === undefined || ruleOfDelete(found.state, receipt, write.now()) === "notFound") {
            throw new Refusal("MessageNotFound");
        }
        dropMessage(write, contents, found);
        const tally = await readTally(write, contents);
        putTally(write, contents, { ...tally, count: tally.count - 1 });
    });
}
