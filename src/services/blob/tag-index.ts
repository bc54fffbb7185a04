import type { Revision } from "../../base/revision.ts";
import { tagKey } from "../../store/keys/blob.ts";
import type { Writer } from "../../store/kv.ts";
import { type BlobRecord, type ContainerRecord, tagRecord } from "../../store/records/blob.ts";
import type { BlobRef } from "./names.ts";

type Tagged = Pick<BlobRecord, "tags"> | undefined;

/**
 * The tag index: an entry for each tag of each blob's present state, and one of its own for each version, written
 * and removed in the transaction that changes the blob. Azure's own index lags behind; this one cannot.
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

interface Indexed {
  readonly container: Pick<ContainerRecord, "id">;
  readonly ref: BlobRef;
  /** Of a state of the past. */
  readonly version?: Revision;
}

/** What is found of the past are its versions, as long as they are not deleted. */
export function indexVersion(
  write: Writer,
  indexed: Indexed & { readonly version: Revision },
  before: BlobRecord | undefined,
  after: BlobRecord | undefined,
): void {
  if (before?.tags === undefined && after?.tags === undefined) return;
  indexTags(write, indexed, foundAs(before), foundAs(after));
}

function foundAs(record: BlobRecord | undefined): Tagged {
  return record?.stateKind === "version" && record.deleted === undefined ? record : undefined;
}

/** The state is gone, and its container may be, too. */
export function dropTags(
  write: Writer,
  place: {
    readonly account: string;
    readonly container: bigint;
    readonly blob: string;
    readonly version?: Revision;
  },
  record: Tagged,
): void {
  for (const [tag, value] of Object.entries(record?.tags ?? {})) {
    write.delete(tagKey(place.account, tag, { ...place, value }));
  }
}
