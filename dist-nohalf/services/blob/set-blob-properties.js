import { checkBlobWrite, findBlob } from "./blobs.js";
import { checkKey } from "./get-blob.js";
import { writtenOf } from "./put-blob.js";
import { changeBlob } from "./replace-blob.js";
/** Set Blob Metadata replaces all of it. */
export async function setBlobMetadata(blobs, request) {
    const { metadata, encryption } = request;
    return change(blobs, request, ({ metadata: _, ...rest }) => {
        checkKey(rest, encryption.keySha256);
        return Object.keys(metadata).length === 0 ? rest : { ...rest, metadata };
    });
}
/** Set Blob Properties: all six headers together, those not given are cleared. */
export async function setHttpHeaders(blobs, request) {
    return change(blobs, request, (record) => ({ ...record, http: request.http }));
}
/** One change of a blob's record, guarded and with a new revision. */
export async function change(blobs, request, edit) {
    const { ref } = request;
    return blobs.parts.store.write(async (write) => {
        const found = await findBlob(write, ref);
        checkBlobWrite(write, found, request, "change");
        const before = found.blob;
        const { copy: _, ...edited } = edit(before);
        const after = { ...edited, revision: write.revision(before.revision) };
        const record = await changeBlob(blobs, write, { container: found.container, ref }, { before, after });
        return { ...writtenOf(record), record };
    });
}
