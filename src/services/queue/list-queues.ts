import { nameOfQueueKey, queuesRange } from "../../store/keys/queue.ts";
import { queueRecord } from "../../store/records/queue.ts";
import type { ServiceParts } from "../parts.ts";
import type { Metadata } from "./queue-metadata.ts";

export interface ListQueues {
  readonly account: string;
  readonly prefix: string;
  /** The first name the page may hold. */
  readonly from: string | undefined;
  readonly maxResults: number;
}

export interface QueuesPage {
  readonly queues: readonly { readonly name: string; readonly metadata: Metadata }[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: string | undefined;
}

export function listQueues({ store }: ServiceParts, request: ListQueues): Promise<QueuesPage> {
  const { account, prefix, from, maxResults } = request;
  return store.read(async (read) => {
    const queues: { name: string; metadata: Metadata }[] = [];
    const range = { ...queuesRange(account, prefix, from), limit: maxResults + 1 };
    for await (const { key, value } of read.range(range)) {
      const name = nameOfQueueKey(key);
      if (queues.length === maxResults) return { queues, next: name };
      queues.push({ name, metadata: queueRecord.unpack(value).metadata });
    }
    return { queues, next: undefined };
  });
}
