import type { BlobContext } from "../../services/blob/context.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import type { AzuriteData, AzuriteFile } from "./azurite-data.ts";
import type { Bodies } from "./bodies.ts";
import type { LokiRecord } from "./loki-file.ts";

/** What the steps of an import work on. */
export interface ImportContext {
  readonly data: AzuriteData;
  readonly bodies: Bodies;
  readonly blobs: BlobContext;
}

/** One record of Azurite, ready to be written. */
export interface Import {
  /** In a transaction, which may run again. "orphan": its container, queue or table does not exist. */
  write(write: Writer): Promise<"imported" | "orphan">;
}

/** The records of one kind, in the order in which the kinds need each other. */
export interface ImportStep {
  readonly file: AzuriteFile;
  isIn(collection: string): boolean;
  /** Ingests the record's bodies. Undefined for a record that Azurite shows to no client. */
  prepare(context: ImportContext, record: LokiRecord): Promise<Import | undefined>;
  /** Compares what is stored with the record. Returns the object in words when it differs. */
  compare(context: ImportContext, read: Reader, record: LokiRecord): Promise<Comparison>;
}

/**
 * Undefined: it is stored as it should be. A text names an object that is not. A function compares bodies
 * after the snapshot has ended.
 */
export type Comparison = string | undefined | (() => Promise<string | undefined>);

/** The same text for equal values, whatever the order of their fields. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "bigint") return `${part}n`;
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

/** Without fields that are undefined, as records are stored. */
export function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}
