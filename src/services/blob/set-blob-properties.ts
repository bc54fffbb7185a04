import type { BlobHttpHeaders, BlobRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { type BlobGuards, checkBlobWrite, findBlob } from "./blobs.ts";
import { checkKey } from "./get-blob.ts";
import type { BlobRef } from "./names.ts";
import { type EncryptionOptions, type Written, writtenOf } from "./put-blob.ts";
import { changeBlob, changeInPlace } from "./replace-blob.ts";

/** Changes of a blob that leave its content alone. Any of them ends what is told of a copy. */
export interface ChangeBlob extends BlobGuards {
  readonly ref: BlobRef;
}

/** Set Blob Metadata replaces all of it. */
export async function setBlobMetadata(
  blobs: BlobService,
  request: ChangeBlob & {
    readonly metadata: Readonly<Record<string, string>>;
    readonly encryption: EncryptionOptions;
  },
): Promise<Written> {
  const { metadata, encryption } = request;
  return change(blobs, request, ({ metadata: _, ...rest }) => {
    checkKey(rest, encryption.keySha256);
    return Object.keys(metadata).length === 0 ? rest : { ...rest, metadata };
  });
}

/**
 * Set Blob Properties: all six headers together, those not given are cleared. Of page and append blobs it leaves no
 * version behind, as their other changes do not.
 */
export async function setHttpHeaders(
  blobs: BlobService,
  request: ChangeBlob & { readonly http: BlobHttpHeaders },
): Promise<Written & { readonly record: BlobRecord }> {
  const edit = (record: BlobRecord): BlobRecord => ({ ...record, http: request.http });
  return change(blobs, request, edit, "onlyOfBlockBlobs");
}

type Changed = Omit<BlobRecord, "revision"> & { readonly revision?: unknown };

/** One change of a blob's record, guarded and with a new revision. */
export async function change(
  blobs: BlobService,
  request: ChangeBlob,
  edit: (record: BlobRecord) => Changed,
  versions: "always" | "onlyOfBlockBlobs" = "always",
): Promise<Written & { readonly record: BlobRecord }> {
  const { ref } = request;
  return blobs.parts.store.write(async (write) => {
    const found = await findBlob(write, ref);
    checkBlobWrite(write, found, request, "change");
    const before = found.blob!;
    const { copy: _, ...edited } = edit(before);
    const after = { ...edited, revision: write.revision(before.revision) };
    const place = { container: found.container, ref };
    const leavesVersion = versions === "always" || before.kind === "block";
    const record = leavesVersion
      ? await changeBlob(blobs, write, place, { before, after })
      : changeInPlace(write, place, { before, after });
    return { ...writtenOf(record), record };
  });
}
