import type { ServiceParts } from "../context.ts";

/** What the operations of the Table service work on; each operation is one transaction. */
export type TableContext = Pick<ServiceParts, "store" | "isStrict">;
