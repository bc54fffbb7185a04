import { Refusal } from "../../base/refusals.ts";
import { discardedKey, queueKey } from "../../store/keys/queue.ts";
import { queueRecord } from "../../store/records/queue.ts";
import type { ServiceParts } from "../context.ts";
import type { Metadata } from "./queue-metadata.ts";
import { checkQueueName, findQueue, type QueueRef, readContentsId } from "./queue-ref.ts";

/** "exists": it was there already with just this metadata, so the caller has what it wanted. */
export function createQueue(
  { store }: ServiceParts,
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

const EMPTY = Buffer.alloc(0);

/** One write. The messages are out of reach with it, and a chore removes them. */
export function deleteQueue({ store }: ServiceParts, ref: QueueRef): Promise<void> {
  return store.write(async (write) => {
    const contents = await readContentsId(write, ref);
    write.delete(queueKey(ref.account, ref.queue));
    write.put(discardedKey(contents), EMPTY);
  });
}
