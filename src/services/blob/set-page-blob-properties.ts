import { Refusal } from "../../base/refusals.ts";
import type { BlobHttpHeaders, BlobRecord } from "../../store/records/blob.ts";
import { checkBlobWrite, findBlob, type GuardedBlob } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import { withWritableMap } from "./copy-page-map.ts";
import { type Written, writtenOf } from "./new-blob.ts";
import { clearPages, writablePages } from "./page-content.ts";
import { type PageBlob, pageBlobOf } from "./put-page.ts";
import { putCurrent } from "./replace-blob.ts";

export type SequenceAction =
  | { readonly action: "max" | "update"; readonly number: bigint }
  | { readonly action: "increment" };

export interface SetPageBlobProperties extends GuardedBlob {
  /** Undefined leaves a property as it is. */
  readonly http: BlobHttpHeaders | undefined;
  readonly length: number | undefined;
  readonly sequence: SequenceAction | undefined;
}

const SEQUENCE_MAX = 2n ** 63n - 1n;

/** Set Blob Properties of a page blob: its length, its sequence number, and the headers of any blob. */
export function setPageBlobProperties(
  blobs: BlobContext,
  request: SetPageBlobProperties,
): Promise<Written & { readonly record: BlobRecord }> {
  const { ref, http, sequence } = request;
  return withWritableMap(blobs, ref, (segmentsMax) =>
    blobs.store.write(async (write) => {
      const found = await findBlob(write, ref);
      checkBlobWrite(write, found, request, "change");
      const before = pageBlobOf(found);
      const length = request.length ?? before.length;
      let { content } = before;
      if (length < before.length) {
        // The pages cut off must read as zeros if the blob grows again.
        content = await writablePages(blobs.payloads, write, content, segmentsMax);
        const span = { start: length, length: before.length - length };
        await clearPages(blobs.payloads, write, content, span);
      }
      const { copy: _, ...kept } = before;
      // Like Put Page, it makes no version.
      const record = putCurrent(write, found, before, {
        ...kept,
        content,
        length,
        revision: write.revision(before.revision),
        sequenceNumber: nextSequence(before, sequence),
        ...(http === undefined ? {} : { http }),
      });
      return { ...writtenOf(record), record };
    }),
  );
}

function nextSequence({ sequenceNumber = 0n }: PageBlob, sequence: SequenceAction | undefined): bigint {
  switch (sequence?.action) {
    case undefined:
      return sequenceNumber;
    case "max":
      return sequence.number > sequenceNumber ? sequence.number : sequenceNumber;
    case "update":
      return sequence.number;
    case "increment":
      if (sequenceNumber === SEQUENCE_MAX) throw new Refusal("SequenceNumberIncrementTooLarge");
      return sequenceNumber + 1n;
  }
}
