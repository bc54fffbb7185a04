import { LIMITS } from "../../base/limits.ts";
import { copyIdOfKey, pendingCopies } from "../../store/keys/copies.ts";
import type { Key, Reader, Writer } from "../../store/kv.ts";
import type { BlobCopyTarget, FileCopyTarget, PendingCopyRecord } from "../../store/records/copies.ts";
import type { RecordType } from "../../store/records/record.ts";
import type { ServiceParts } from "../context.ts";
import type { BackgroundJob } from "./background-jobs.ts";
import { livingProcesses } from "./consent.ts";

/**
 * Copies whose process has ended. The credentials for reading the source (a signature, a token) are never
 * stored, so no process can continue such a copy. It is marked as failed instead of staying pending and
 * refusing writes.
 *
 * The transaction that makes a copy pending adds its entry. Only this job removes entries: those of copies
 * that have ended in any way, and those whose target is gone.
 */
export interface CopiesOf<Target extends BlobCopyTarget | FileCopyTarget> {
  readonly service: "blob" | "file";
  readonly record: RecordType<PendingCopyRecord<Target>>;
  isPending(read: Reader, target: Target, copyId: string): Promise<boolean>;
  fail(write: Writer, target: Target, copyId: string, description: string): Promise<void>;
}

const INTERRUPTED = '500 OperationCancelled "The copy was interrupted: the process that made it ended."';

export function interruptedCopies<Target extends BlobCopyTarget | FileCopyTarget>(
  { store }: Pick<ServiceParts, "store">,
  copies: CopiesOf<Target>,
): BackgroundJob {
  return {
    name: `${copies.service}-copies`,
    interval: LIMITS.copiesJobMillis,
    run: () => endInterrupted({ store }, copies),
  };
}

interface Entry<Target> {
  readonly key: Key;
  readonly target: Target;
}

async function endInterrupted<Target extends BlobCopyTarget | FileCopyTarget>(
  { store }: Pick<ServiceParts, "store">,
  copies: CopiesOf<Target>,
): Promise<"more" | "done"> {
  const entries = await store.read(async (read) => {
    const found: (Entry<Target> & { readonly owner: string; readonly isPending: boolean })[] = [];
    for await (const { key, value } of read.range(pendingCopies(copies.service))) {
      const { owner, target } = copies.record.unpack(value);
      found.push({ key, owner, target, isPending: await copies.isPending(read, target, copyIdOfKey(key)) });
    }
    return found;
  });
  if (entries.length === 0) return "done";
  // Read after the entries: a process that had added one was in this list by then.
  const living = await livingProcesses(store.ephemeral);
  const ended = entries.filter(({ owner, isPending }) => !isPending || !living.has(owner));
  for (let from = 0; from < ended.length; from += LIMITS.copiesPerStep) {
    const step = ended.slice(from, from + LIMITS.copiesPerStep);
    await store.write(async (write) => {
      for (const { key, target } of step) {
        write.delete(key);
        const copyId = copyIdOfKey(key);
        if (await copies.isPending(write, target, copyId)) {
          await copies.fail(write, target, copyId, INTERRUPTED);
        }
      }
    });
  }
  return "done";
}
