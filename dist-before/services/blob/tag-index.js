import { tagKey } from "../../store/keys/blob.js";
import { tagRecord } from "../../store/records/blob.js";
/**
 * The tag index: an entry for each tag of each blob's present state, written and removed in the transaction that
 * changes the blob. Azure's own index lags behind; this one cannot.
 */
export function indexTags(write, { container, ref }, before, after) {
    const place = { account: ref.account, container: container.id, blob: ref.blob };
    for (const [tag, value] of Object.entries(before?.tags ?? {})) {
        if (after?.tags?.[tag] !== value)
            write.delete(tagKey(ref.account, tag, { ...place, value }));
    }
    const entry = tagRecord.pack({ container: ref.container });
    for (const [tag, value] of Object.entries(after?.tags ?? {})) {
        if (before?.tags?.[tag] !== value)
            write.put(tagKey(ref.account, tag, { ...place, value }), entry);
    }
}
/** The blob is gone, and its container may be, too. */
export function dropTags(write, place, record) {
    for (const [tag, value] of Object.entries(record?.tags ?? {})) {
        write.delete(tagKey(place.account, tag, { ...place, value }));
    }
}
