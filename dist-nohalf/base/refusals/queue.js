/** What only the Queue service answers. */
export const QUEUE_REFUSALS = {
    InvalidMarker: { http: 400, text: "The specified marker is invalid." },
    MessageNotFound: { http: 404, text: "The specified message does not exist." },
    PopReceiptMismatch: {
        http: 400,
        text: "The specified pop receipt did not match the pop receipt for a dequeued message.",
    },
    QueueAlreadyExists: { http: 409, text: "The specified queue already exists." },
    QueueNotFound: { http: 404, text: "The specified queue does not exist." },
};
