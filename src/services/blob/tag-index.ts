import type { Revision } from "../../base/revision.ts";
import { type TagPlace, tagKey } from "../../store/keys/blob.ts";
import type { Writer } from "../../store/kv.ts";
import { type BlobRecord, type ContainerRecord, tagRecord } from "../../store/records/blob.ts";
import type { BlobRef } from "./names.ts";

type Tagged = Pick<BlobRecord, "tags"> | undefined;

interface Indexed {
  readonly container: Pick<ContainerRecord, "id">;
  readonly ref: BlobRef;
  /** Of a version that is not the current one. */
  readonly version?: Revision;
}

/**
 * The tag index has an entry for each tag of each blob's current state, and one for each tag of each version.
 * The transaction that changes the blob writes it. Azure's own index lags behind; this one cannot.
 */
export function indexTags(write: Writer, indexed: Indexed, before: Tagged, after: Tagged): void {
  const { container, ref, version } = indexed;
  const place = { container: container.id, blob: ref.blob, ...(version === undefined ? {} : { version }) };
  for (const [tag, value] of Object.entries(before?.tags ?? {})) {
    if (after?.tags?.[tag] !== value) write.delete(tagKey(ref.account, tag, { ...place, value }));
  }
  const entry = tagRecord.pack({ container: ref.container });
  for (const [tag, value] of Object.entries(after?.tags ?? {})) {
    if (before?.tags?.[tag] !== value) write.put(tagKey(ref.account, tag, { ...place, value }), entry);
  }
}

/** Of the states that are not current, only versions that are not deleted can be found by their tags. */
export function searchableTags(record: BlobRecord | undefined): Tagged {
  return record?.stateKind === "version" && record.deleted === undefined ? record : undefined;
}

export function indexVersion(
  write: Writer,
  indexed: Indexed & { readonly version: Revision },
  before: BlobRecord | undefined,
  after: BlobRecord | undefined,
): void {
  if (before?.tags === undefined && after?.tags === undefined) return;
  indexTags(write, indexed, searchableTags(before), searchableTags(after));
}

/** For a state that is gone, perhaps with its container. */
export function removeTags(
  write: Writer,
  place: Omit<TagPlace, "value"> & { readonly account: string },
  record: Tagged,
): void {
  for (const [tag, value] of Object.entries(record?.tags ?? {})) {
    write.delete(tagKey(place.account, tag, { ...place, value }));
  }
}
