import { nameOfQueueKey, queuesRange } from "../../store/keys/queue.ts";
import { queueRecord } from "../../store/records/queue.ts";
import type { NewPage, Page, PageAndNext } from "../page.ts";
import type { QueueContext } from "./context.ts";
import type { Metadata } from "./queue-ref.ts";

export interface ListQueues<P extends Page<ListedQueue>> {
  readonly account: string;
  readonly prefix: string;
  /** The first name of the page. */
  readonly from: string | undefined;
  /** The maximum length of a page: how many entries are fetched at once. */
  readonly maxResults: number;
  readonly newPage: NewPage<ListedQueue, P>;
}

export interface ListedQueue {
  readonly name: string;
  readonly metadata: Metadata;
}

export function listQueues<P extends Page<ListedQueue>>(
  { store }: QueueContext,
  request: ListQueues<P>,
): Promise<PageAndNext<P, string>> {
  const { account, prefix, from, maxResults } = request;
  return store.read(async (read) => {
    const page = request.newPage(read.now());
    const range = { ...queuesRange(account, prefix, from), limit: maxResults + 1 };
    for await (const { key, value } of read.range(range)) {
      const name = nameOfQueueKey(key);
      if (page.isFull) return { page, next: name };
      page.add({ name, metadata: queueRecord.unpack(value).metadata });
    }
    return { page, next: undefined };
  });
}
