import type { Instant } from "../../base/clock.ts";
import { recordType } from "./record.ts";

export const deletedNameRecord = recordType<{ readonly at: Instant }>("deletedName", 1);
