import { answerOf, Refusal, type RefusalCode, sourceRefusal } from "../../base/refusals.ts";
import { type Conditions, checkSource, type SourceUse } from "../../concurrency/conditions.ts";
import type { Reader } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import type { OpenPayload, SliceRange } from "../payload/payloads.ts";
import { checkNoPendingCopy, readState, type Selector } from "./blobs.ts";
import { openBlobContent } from "./content.ts";
import type { BlobContext } from "./context.ts";
import type { BlobRef } from "./names.ts";
import { keyRefusal } from "./new-blob.ts";

/** A blob of this server as the source of a copy. */
export interface LocalSource {
  readonly ref: BlobRef;
  readonly selector: Selector;
  /** The source's URL without its signature. */
  readonly shown: string;
  readonly conditions: Conditions;
  readonly keySha256: string | undefined;
  /** The account's owner named it by its plain URL, so Copy Blob finds it as it finds the destination. */
  readonly isOwn?: boolean;
}

export interface OpenedSource {
  readonly record: BlobRecord;
  readonly range: SliceRange;
  /** The caller closes it. */
  readonly payload: OpenPayload;
}

/**
 * The source, read in the transaction that copies it. When the source `isNamed` by its owner, a missing one
 * is BlobNotFound; when it is read through its URL, it could not be verified.
 */
export async function readSource(
  read: Reader,
  source: LocalSource,
  use: SourceUse,
  isNamed = false,
): Promise<BlobRecord> {
  const record = await readSourceRecord(read, source, isNamed);
  const code = checkSource(source.conditions, record, use);
  if (code !== undefined) throw conditionRefusal(code);
  const keyCode = keyRefusal(record, source.keySha256);
  if (keyCode !== undefined)
    throw isNamed ? new Refusal(keyCode) : sourceRefusal(answerOf(new Refusal(keyCode)));
  checkNoPendingCopy(record);
  return record;
}

async function readSourceRecord(
  read: Reader,
  { ref, selector }: LocalSource,
  isNamed: boolean,
): Promise<BlobRecord> {
  try {
    return (await readState(read, ref, selector)).record;
  } catch (error) {
    // The request addresses the destination, so a missing source has another code.
    if (!isNamed && error instanceof Refusal && error.row.http === 404) throw sourceRefusal(answerOf(error));
    throw error;
  }
}

/** Where the code of a failed condition is that of a read, the reply includes why the read was refused. */
function conditionRefusal(code: RefusalCode): Refusal {
  switch (code) {
    case "CopySourceNotModified":
      return sourceRefusal(answerOf(new Refusal("NotModified")));
    case "CopySourcePreconditionFailed":
      return sourceRefusal(answerOf(new Refusal("ConditionNotMet")));
    default:
      return new Refusal(code);
  }
}

/** Checks a source and opens it in the same snapshot of the store. */
export async function openSource(
  { store, payloads }: BlobContext,
  source: LocalSource,
  { use, rangeOf }: { readonly use: SourceUse; readonly rangeOf: (length: number) => SliceRange },
): Promise<OpenedSource> {
  return store.read(async (read) => {
    const record = await readSource(read, source, use);
    if (record.tier === "Archive") throw new Refusal("BlobArchived");
    const range = rangeOf(record.length);
    return { record, range, payload: await openBlobContent(payloads, read, record, range) };
  });
}
