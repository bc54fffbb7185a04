import type { Store } from "../../store/kv.ts";

/** What the operations of the Table service work on; each operation is one transaction. */
export interface TableContext {
  readonly store: Store;
}
