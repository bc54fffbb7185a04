import { recordType } from "./record.ts";

export interface MigrationRecord {
  /** The first key of the source, in hexadecimal: enough to notice that another one is meant. */
  readonly origin: string;
  /** The last key that was copied; empty before the first. */
  readonly lastKey: string;
  readonly records: number;
}

export const migrationRecord = recordType<MigrationRecord>("migration", 1);
