import type { PolicyRecord } from "./policy.ts";
import { recordType } from "./record.ts";

/** A table by name. `id` is its incarnation: a new table of the same name starts empty. */
export interface TableRecord {
  /** As it was spelled when it was created. */
  readonly name: string;
  readonly id: bigint;
}

export const tableRecord = recordType<TableRecord>("table", 1);

export const tableAclRecord = recordType<{ readonly policies: readonly PolicyRecord[] }>("tableAcl", 1);
