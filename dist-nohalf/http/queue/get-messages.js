import { seconds } from "../../base/clock.js";
import { QUEUE_LIMITS } from "../../base/limits-queue.js";
import { printPeeked, printTaken, XML } from "./message-xml.js";
import { COUNT_OF_MESSAGES, queueOf, VISIBILITY_OF_GET, wholeOf } from "./parameters.js";
/** GET /{queue}/messages */
export async function getMessages(request, { queues }) {
    const { query } = request;
    const visibility = wholeOf(query, "visibilitytimeout", VISIBILITY_OF_GET, QUEUE_LIMITS.visibilitySecondsDefault);
    const messages = await queues.getMessages({
        ref: queueOf(request),
        count: wholeOf(query, "numofmessages", COUNT_OF_MESSAGES, 1),
        visibilityTimeout: seconds(visibility),
    });
    return { status: 200, headers: XML, body: printTaken(messages) };
}
/** GET /{queue}/messages?peekonly=true */
export async function peekMessages(request, { queues }) {
    const messages = await queues.peekMessages({
        ref: queueOf(request),
        count: wholeOf(request.query, "numofmessages", COUNT_OF_MESSAGES, 1),
    });
    return { status: 200, headers: XML, body: printPeeked(messages) };
}
