import type { Key } from "../kv.ts";
import { packKey } from "./pack.ts";

/** In a store that a migration is filling: how far it got. Such a store refuses to serve. */
export const MIGRATION_KEY: Key = packKey(["zmigration"]);
