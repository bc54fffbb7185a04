import type { Place } from "../keys/payload.ts";
import { mappedRecord, recordType } from "./record.ts";

/** At the first place of a slice. `refs` counts the records that point to it. */
export interface HomeRecord {
  readonly length: number;
  readonly refs: number;
  /** Where the bytes are now, once compaction has moved them. */
  readonly at?: Place;
}

/** At the place a slice was moved to, so that compacting an extent is one scan of its keys. */
export interface GuestRecord {
  readonly length: number;
  readonly home: Place;
}

export type SliceRecord = HomeRecord | GuestRecord;

export const sliceRecord = recordType<SliceRecord>("slice", 1);

export interface ExtentRecord {
  /** The process that appends to it while it is open. */
  readonly owner: string;
  readonly state: "open" | "sealed";
  /** Size of the file, known when it is sealed. */
  readonly bytes: number;
  /** The bytes of referenced slices in the file, frame headers included. */
  readonly liveBytes: number;
}

export const extentRecord = recordType<ExtentRecord>("extent", 1);

export const lastExtentRecord = recordType<{ readonly id: bigint }>("lastExtent", 1);

export interface RemovalRequest {
  readonly round: number;
  readonly extents: readonly bigint[];
}

export const removalRequest = recordType<RemovalRequest>("removalRequest", 1);

export interface RemovalAnswer {
  /** The round this answers. */
  readonly round: number;
  /** The extents of the round that reads in flight still use. */
  readonly pinned: readonly bigint[];
}

export const removalAnswer = mappedRecord(
  recordType<{ readonly round: number; readonly held: readonly bigint[] }>("removalAnswer", 1),
  ({ round, pinned }: RemovalAnswer) => ({ round, held: pinned }),
  ({ round, held: pinned }) => ({ round, pinned }),
);
