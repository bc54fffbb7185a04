import { recordType } from "./record.ts";

/** A table by name. `id` is its incarnation: a new table of the same name gets another one, and starts empty. */
export interface TableRecord {
  /** As it was spelled when it was created. */
  readonly name: string;
  readonly id: bigint;
}

export const tableRecord = recordType<TableRecord>("table", 1);

export interface TablePolicy {
  readonly id: string;
  readonly start: number | undefined;
  readonly expiry: number | undefined;
  readonly permissions: string | undefined;
  /** Beyond the millisecond, in ticks of 100 ns. */
  readonly startTicks?: number;
  readonly expiryTicks?: number;
}

export const tableAclRecord = recordType<{ readonly policies: readonly TablePolicy[] }>("tableAcl", 1);
