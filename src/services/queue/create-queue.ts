import { Refusal } from "../../base/refusals.ts";
import { queueKey } from "../../store/keys/queue.ts";
import { queueRecord } from "../../store/records/queue.ts";
import type { QueueContext } from "./context.ts";
import { checkQueueName, findQueue, type Metadata, type QueueRef } from "./queue-ref.ts";

/** "exists": it was there already with just this metadata, so the caller has what it wanted. */
export function createQueue(
  { store }: QueueContext,
  ref: QueueRef,
  metadata: Metadata,
): Promise<"created" | "exists"> {
  checkQueueName(ref.queue);
  return store.write(async (write) => {
    const present = await findQueue(write, ref);
    if (present !== undefined) {
      if (!isSame(present.metadata, metadata)) throw new Refusal("QueueAlreadyExists");
      return "exists";
    }
    const contents = write.revision();
    write.put(queueKey(ref.account, ref.queue), queueRecord.pack({ contents, metadata, policies: [] }));
    return "created";
  });
}

/** The case of a name tells nothing apart: some clients write all headers in lower case. */
function isSame(one: Metadata, other: Metadata): boolean {
  const values = new Map(Object.entries(one).map(([name, value]) => [name.toLowerCase(), value]));
  const entries = Object.entries(other);
  return (
    entries.length === values.size &&
    entries.every(([name, value]) => values.get(name.toLowerCase()) === value)
  );
}
