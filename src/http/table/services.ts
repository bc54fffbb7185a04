import type { TableContext } from "../../services/table/context.ts";
import type { AuthContext } from "../auth/context.ts";
import type { CommonServices } from "../common/service-operations.ts";

/** What the handlers of the Table service get. */
export interface TableServices extends CommonServices {
  readonly tables: TableContext;
  readonly auth: AuthContext;
}
