import { Refusal } from "../../base/refusals.js";
import { copyIncremental as copy } from "../../services/blob/copy-incremental.js";
import { readBlobGuards, refusePast } from "./blob-headers.js";
import { copyReply } from "./copy-blob.js";
import { readCopySource } from "./copy-source.js";
import { IF_ALL, readBlobRef } from "./read-request.js";
import { onBlob, row } from "./rows.js";
/** PUT ?comp=incrementalcopy: the source is a snapshot of a page blob of this server */
async function copyIncremental(request, services) {
    refusePast(request.query);
    const guards = readBlobGuards(request, IF_ALL);
    const source = await readCopySource(request, services);
    if (source.kind === "elsewhere")
        throw new Refusal("InvalidSourceBlobUrl");
    const copyId = services.blobs.parts.random.uuid();
    return copyReply(await copy(services.blobs, { ref: readBlobRef(request), ...guards, source, copyId }));
}
export const COPY_INCREMENTAL_ROW = row({
    name: "CopyIncremental",
    method: "PUT",
    resource: "blob",
    query: { comp: "incrementalcopy" },
    permission: onBlob(["w"]),
    returnsEtag: true,
    conditions: IF_ALL,
    ok: [202],
    handle: copyIncremental,
});
