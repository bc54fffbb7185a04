import type { Key, Range } from "../kv.ts";
import { packKey, prefixRange } from "./pack.ts";

export type DeletedKind = "container" | "queue" | "table" | "share";

/** Names deleted with --strict: ("dn", kind, account, name). */
export const deletedNameKey = (of: { kind: DeletedKind; account: string; name: string }): Key =>
  packKey(["dn", of.kind, of.account, of.name]);
export const DELETED_NAMES: Range = prefixRange(packKey(["dn"]));
