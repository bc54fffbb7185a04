import type { Key } from "../kv.ts";
import { packKey } from "./pack.ts";

/** The progress of a migration into this store. A store with this record refuses to serve. */
export const MIGRATION_KEY: Key = packKey(["zmigration"]);
