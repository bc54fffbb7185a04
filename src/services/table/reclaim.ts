import { DELETED_TABLES, entitiesOfTable, tableOfDeletedKey } from "../../store/keys/table.ts";
import type { KeySpace } from "../../store/kv.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import type { TableContext } from "./context.ts";
import { TABLE_LIMITS } from "./limits.ts";

/**
 * Removes the entities of deleted tables, some at a time. No request reaches them: their table id is gone.
 */
export function reclaimTables({ store }: TableContext): BackgroundJob {
  return {
    name: "entities of deleted tables",
    interval: TABLE_LIMITS.reclaimIntervalMillis,
    run: () => reclaimSome(store),
  };
}

async function reclaimSome(store: KeySpace): Promise<"more" | "done"> {
  // Reads first: a write transaction that finds nothing to do would still hold up the other writers.
  const isAny = await store.read(async (read) => {
    for await (const _ of read.range({ ...DELETED_TABLES, limit: 1 })) return true;
    return false;
  });
  if (!isAny) return "done";
  return store.write(async (write): Promise<"more"> => {
    for await (const { key: deleted } of write.range({ ...DELETED_TABLES, limit: 1 })) {
      const limit = TABLE_LIMITS.reclaimedEntitiesPerStep;
      const keys: string[] = [];
      for await (const { key } of write.range({ ...entitiesOfTable(tableOfDeletedKey(deleted)), limit })) {
        keys.push(key);
      }
      for (const key of keys) write.delete(key);
      if (keys.length < limit) write.delete(deleted);
    }
    return "more";
  });
}
