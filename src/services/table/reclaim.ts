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
  // Reads first, because a write transaction without work would still delay other writers.
  if ((await store.read((read) => read.take(DELETED_TABLES, 1))).length === 0) return "done";
  return store.write(async (write): Promise<"more"> => {
    for (const { key: deleted } of await write.take(DELETED_TABLES, 1)) {
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
