/** What only the Queue service answers. */
export declare const QUEUE_REFUSALS: {
    readonly InvalidMarker: {
        readonly http: 400;
        readonly text: "The specified marker is invalid.";
    };
    readonly MessageNotFound: {
        readonly http: 404;
        readonly text: "The specified message does not exist.";
    };
    readonly PopReceiptMismatch: {
        readonly http: 400;
        readonly text: "The specified pop receipt did not match the pop receipt for a dequeued message.";
    };
    readonly QueueAlreadyExists: {
        readonly http: 409;
        readonly text: "The specified queue already exists.";
    };
    readonly QueueNotFound: {
        readonly http: 404;
        readonly text: "The specified queue does not exist.";
    };
};
