import { Refusal } from "../../base/refusals.ts";
import { queueKey } from "../../store/keys/queue.ts";
import { queueRecord } from "../../store/records/queue.ts";
import { checkName } from "../deleted-names.ts";
import type { QueueContext } from "./context.ts";
import { checkQueueName, findQueue, type Metadata, type QueueRef } from "./queue-ref.ts";

/** Create Queue. "exists" means that it existed with the same metadata, which is no error. */
export function createQueue(
  queues: QueueContext,
  ref: QueueRef,
  metadata: Metadata,
): Promise<"created" | "exists"> {
  checkQueueName(ref.queue);
  return queues.store.update((write) => {
    const present = findQueue(write, ref);
    if (present !== undefined) {
      if (!isSame(present.metadata, metadata)) throw new Refusal("QueueAlreadyExists");
      return "exists";
    }
    checkName(write, queues, { kind: "queue", account: ref.account, name: ref.queue });
    const contents = write.revision();
    write.put(queueKey(ref.account, ref.queue), queueRecord.pack({ contents, metadata, policies: [] }));
    return "created";
  });
}

/** Ignores the case of names, because some clients write all headers in lower case. */
function isSame(a: Metadata, b: Metadata): boolean {
  const values = new Map(Object.entries(a).map(([name, value]) => [name.toLowerCase(), value]));
  const entries = Object.entries(b);
  return (
    entries.length === values.size &&
    entries.every(([name, value]) => values.get(name.toLowerCase()) === value)
  );
}
