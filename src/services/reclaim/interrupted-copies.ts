import { LIMITS } from "../../base/limits.ts";
import { copyIdOfKey, pendingCopies } from "../../store/keys/copies.ts";
import type { Key, Reader, Writer } from "../../store/kv.ts";
import type { BlobCopyTarget, FileCopyTarget, PendingCopyRecord } from "../../store/records/copies.ts";
import type { RecordType } from "../../store/records/record.ts";
import type { ServiceParts } from "../context.ts";
import type { BackgroundJob } from "./background-jobs.ts";
import { livingProcesses } from "./consent.ts";

/**
 * Copies whose process is gone. What made it possible to read the source (a signature, a token) went with the
 * process and is never written down, so nobody can go on with such a copy: it fails, and says so, instead of
 * staying "pending" and keeping writers out.
 *
 * A copy is entered by the transaction that makes it pending. Entries of copies that have ended in any way,
 * or whose target is gone, are removed here and nowhere else.
 */
export interface CopiesOf<Target extends BlobCopyTarget | FileCopyTarget> {
  readonly service: "blob" | "file";
  readonly record: RecordType<PendingCopyRecord<Target>>;
  isPending(read: Reader, target: Target, copyId: string): Promise<boolean>;
  fail(write: Writer, target: Target, copyId: string, description: string): Promise<void>;
}

export const INTERRUPTED =
  '500 OperationCancelled "The copy was interrupted: the process that made it ended."';

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

interface Over<Target> {
  readonly key: Key;
  readonly target: Target;
}

export async function endInterrupted<Target extends BlobCopyTarget | FileCopyTarget>(
  { store }: Pick<ServiceParts, "store">,
  copies: CopiesOf<Target>,
): Promise<"more" | "done"> {
  const entries = await store.read(async (read) => {
    const found: (Over<Target> & { readonly owner: string; readonly isPending: boolean })[] = [];
    for await (const { key, value } of read.range(pendingCopies(copies.service))) {
      const { owner, target } = copies.record.unpack(value);
      found.push({ key, owner, target, isPending: await copies.isPending(read, target, copyIdOfKey(key)) });
    }
    return found;
  });
  if (entries.length === 0) return "done";
  // Asked after the entries were read: a process that had entered one was among the living by then.
  const living = await livingProcesses(store.ephemeral);
  const over = entries.filter(({ owner, isPending }) => !isPending || !living.has(owner));
  for (let from = 0; from < over.length; from += LIMITS.copiesPerStep) {
    const step = over.slice(from, from + LIMITS.copiesPerStep);
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
