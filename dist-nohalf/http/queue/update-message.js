import { seconds } from "../../base/clock.js";
import { QUEUE_LIMITS } from "../../base/limits-queue.js";
import { printReceipt } from "../../concurrency/visibility.js";
import { printHttpDate } from "../wire/dates.js";
import { parseMessage } from "./message-xml.js";
import { messageIdOf, queueOf, receiptOf, requiredWholeOf, VISIBILITY_OF_UPDATE } from "./parameters.js";
/** PUT /{queue}/messages/{messageid}?popreceipt=&visibilitytimeout= */
export async function updateMessage(request, { queues }) {
    const ref = queueOf(request);
    const receipt = receiptOf(request.query);
    const visibility = requiredWholeOf(request.query, "visibilitytimeout", VISIBILITY_OF_UPDATE);
    const body = await request.body.read(QUEUE_LIMITS.messageBodyBytesMax);
    const next = await queues.updateMessage({
        ref,
        messageId: messageIdOf(request),
        receipt,
        visibilityTimeout: seconds(visibility),
        text: body.length === 0 ? undefined : parseMessage(body),
    });
    const headers = {
        "x-ms-popreceipt": printReceipt(next),
        "x-ms-time-next-visible": printHttpDate(next.visibleAt),
    };
    return { status: 204, headers };
}
