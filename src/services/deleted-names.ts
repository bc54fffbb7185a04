import { LIMITS } from "../base/limits.ts";
import { type MaybePromise, then } from "../base/maybe-promise.ts";
import { Refusal } from "../base/refusals.ts";
import { isBeingDeleted } from "../concurrency/deleted-name.ts";
import { DELETED_NAMES, type DeletedKind, deletedNameKey } from "../store/keys/deleted-name.ts";
import type { Reader, RecordWrites, SyncReader, Writer } from "../store/kv.ts";
import { deletedNameRecord } from "../store/records/deleted-name.ts";
import type { ServiceParts } from "./context.ts";
import type { BackgroundJob } from "./reclaim/background-jobs.ts";

/**
 * With --strict, a deleted name leaves a record that refuses its creation for a while, as on Azure. Without
 * it, nothing is written and names are free at once.
 */
type Strictness = Pick<ServiceParts, "isStrict">;

const CODES = {
  container: "ContainerBeingDeleted",
  queue: "QueueBeingDeleted",
  table: "TableBeingDeleted",
  share: "ShareBeingDeleted",
} as const;

interface Name {
  readonly kind: DeletedKind;
  readonly account: string;
  readonly name: string;
}

export function keepName(
  write: RecordWrites & Pick<Writer, "now">,
  { isStrict }: Strictness,
  name: Name,
): void {
  if (isStrict) write.put(deletedNameKey(name), deletedNameRecord.pack({ at: write.now() }));
}

/** Whether what had this name is still being deleted. */
export function isNameKept(
  read: Pick<Reader, "get" | "now">,
  { isStrict }: Strictness,
  name: Name,
): MaybePromise<boolean> {
  if (!isStrict) return false;
  return then(
    read.get(deletedNameKey(name)),
    (stored) => stored !== undefined && isBeingDeleted(deletedNameRecord.unpack(stored).at, read.now()),
  );
}

/** Refuses to create what has a name that is still in use. */
export function checkName(read: SyncReader, strictness: Strictness, name: Name): void;
export function checkName(read: Reader, strictness: Strictness, name: Name): MaybePromise<void>;
export function checkName(
  read: Pick<Reader, "get" | "now">,
  strictness: Strictness,
  name: Name,
): MaybePromise<void> {
  return then(isNameKept(read, strictness, name), (isKept) => {
    if (isKept) throw new Refusal(CODES[name.kind]);
  });
}

/** Removes the records of names that are free again. */
export function freeNames({ store }: Pick<ServiceParts, "store">): BackgroundJob {
  return {
    name: "names of what was deleted",
    interval: LIMITS.deletionMillis,
    run: () =>
      store.write(async (write) => {
        const limit = LIMITS.namesFreedPerStep;
        let freed = 0;
        for await (const { key, value } of write.range({ ...DELETED_NAMES, limit })) {
          if (isBeingDeleted(deletedNameRecord.unpack(value).at, write.now())) continue;
          write.delete(key);
          freed++;
        }
        return freed === limit ? "more" : "done";
      }),
  };
}
