import { Refusal } from "../../base/refusals.ts";
import type { BlobHttpHeaders, BlobRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { checkBlobWrite, findBlob, putBlobRecord, withLeaseAfterWrite } from "./blobs.ts";
import { checkKey } from "./get-blob.ts";
import { withOwnPages } from "./own-pages.ts";
import { clearPages, writablePages } from "./page-content.ts";
import { type EncryptionOptions, type Written, writtenOf } from "./put-blob.ts";
import { type PageBlob, pageBlobOf } from "./put-page.ts";
import type { ChangeBlob } from "./set-blob-properties.ts";

export type SequenceAction =
  | { readonly action: "max" | "update"; readonly number: bigint }
  | { readonly action: "increment" };

export interface SetPageProperties extends ChangeBlob {
  /** Undefined: left as they are. */
  readonly http: BlobHttpHeaders | undefined;
  readonly length: number | undefined;
  readonly sequence: SequenceAction | undefined;
  readonly encryption: EncryptionOptions;
}

const SEQUENCE_MAX = 2n ** 63n - 1n;

/** Set Blob Properties of a page blob: its length, its sequence number, and the headers as of any blob. */
export function setPageProperties(blobs: BlobService, request: SetPageProperties): Promise<PropertiesSet> {
  return withOwnPages(blobs, request.ref, (segmentsMax) => setOnce(blobs, request, segmentsMax));
}

type PropertiesSet = Written & { readonly record: BlobRecord };

async function setOnce(
  blobs: BlobService,
  request: SetPageProperties,
  segmentsMax: number,
): Promise<PropertiesSet> {
  const { ref, http, sequence } = request;
  return blobs.parts.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkBlobWrite(write, found, request, "change");
    const before = pageBlobOf(found);
    const length = request.length ?? before.length;
    if (request.length !== undefined && before.keySha256 !== undefined) {
      checkKey(before, request.encryption.keySha256);
    }
    let { content } = before;
    if (length < before.length) {
      // What is cut off must read as zeros if the blob grows again.
      content = await writablePages(blobs.parts.payloads, write, content, segmentsMax);
      const span = { start: length, length: before.length - length };
      await clearPages(blobs.parts.payloads, write, content, span);
    }
    const { copy: _, ...kept } = before;
    const after: BlobRecord = {
      ...kept,
      content,
      length,
      revision: write.revision(before.revision),
      sequenceNumber: nextSequence(before, sequence),
      ...(http === undefined ? {} : { http }),
    };
    // Like writes of pages, it leaves no version behind.
    const record = withLeaseAfterWrite(after, before, write.now());
    putBlobRecord(write, { container: found.container, ref }, before, record);
    return { ...writtenOf(record), record };
  });
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
