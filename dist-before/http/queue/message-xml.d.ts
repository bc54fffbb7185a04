import type { GivenMessage, TakenMessage } from "../../services/queue/get-messages.ts";
import type { PutMessageResult } from "../../services/queue/put-message.ts";
/** The bodies of the message operations. */
export declare const XML: {
    "Content-Type": string;
};
/** `<QueueMessage><MessageText>..</MessageText></QueueMessage>`: the text, in UTF-8. */
export declare function parseMessage(body: Uint8Array): Buffer;
export declare function printPutMessage({ messageId, insertedAt, expiresAt, receipt, visibleAt, }: PutMessageResult): string;
export declare function printTaken(messages: readonly TakenMessage[]): string;
export declare function printPeeked(messages: readonly GivenMessage[]): string;
