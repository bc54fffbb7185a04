import type { GuardedBlob } from "./blobs.ts";
import type { BlobContext } from "./context.ts";
import { checkKey, type EncryptionOptions, type Written } from "./new-blob.ts";
import { changeProperties } from "./replace-blob.ts";

/** Set Blob Metadata replaces all of it. */
export async function setBlobMetadata(
  blobs: BlobContext,
  request: GuardedBlob & {
    readonly metadata: Readonly<Record<string, string>>;
    readonly encryption: EncryptionOptions;
  },
): Promise<Written> {
  const { metadata, encryption } = request;
  return changeProperties(blobs, request, ({ metadata: _, ...rest }) => {
    checkKey(rest, encryption.keySha256);
    return Object.keys(metadata).length === 0 ? rest : { ...rest, metadata };
  });
}
