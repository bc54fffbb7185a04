import { messageIdOf, queueOf, receiptOf } from "./parameters.js";
/** DELETE /{queue}/messages/{messageid}?popreceipt= */
export async function deleteMessage(request, { queues }) {
    const ref = queueOf(request);
    const receipt = receiptOf(request.query);
    await queues.deleteMessage({ ref, messageId: messageIdOf(request), receipt });
    return { status: 204 };
}
/** DELETE /{queue}/messages */
export async function clearMessages(request, { queues }) {
    await queues.clearMessages(queueOf(request));
    return { status: 204 };
}
