import { FILE_LIMITS } from "../../base/limits-file.js";
import { Refusal } from "../../base/refusals.js";
import { handleKey, handlesOfNode, handlesOfShare, readHandleKey } from "../../store/keys/file.js";
import { handleRecord } from "../../store/records/file.js";
import { endHandle } from "./handles.js";
import { findAny, findNode, pathOf, ROOT } from "./nodes.js";
import { readShare } from "./shares.js";
import { LiveView } from "./versions.js";
async function findTarget(files, { ref, isRecursive }) {
    return files.parts.store.read(async (read) => {
        const share = await readShare(read, ref);
        const node = await findAny(new LiveView(read), share.id, ref.path);
        if (isRecursive && node.record.kind === "file") {
            throw new Refusal("InvalidHeaderValue", {
                elements: { HeaderName: "x-ms-recursive", HeaderValue: "true" },
            });
        }
        return { share, node };
    });
}
export async function listHandles(files, request) {
    const { share, node } = await findTarget(files, request);
    if (request.ref.snapshot !== undefined)
        return { handles: [], next: undefined };
    const candidates = await readHandles(files, share, node, request);
    return files.parts.store.read(async (read) => {
        const view = new LiveView(read);
        const handles = [];
        for (const candidate of candidates) {
            if (!(await isBelow(view, share.id, candidate.node, node.id)))
                continue;
            if (handles.length === request.maxResults)
                return { handles, next: candidate };
            const record = await findNode(view, share.id, candidate.node);
            const path = await pathOf(view, share.id, candidate.node);
            handles.push({ ...candidate, path, parent: record?.parent ?? ROOT });
        }
        return { handles, next: undefined };
    });
}
/** Handles from the wanted position on, of the node or of everything in the share. */
function readHandles(files, share, node, { isRecursive, from }) {
    return files.parts.store.ephemeral.read(async (read) => {
        const range = isRecursive ? handlesOfShare(share.id) : handlesOfNode(share.id, node.id);
        const start = from === undefined ? range.from : handleKey(share.id, from.node, from.handle);
        const found = [];
        if (start >= range.to)
            return found;
        for await (const { key, value } of read.range({
            ...range,
            from: start > range.from ? start : range.from,
        })) {
            const place = readHandleKey(key);
            found.push({ node: place.node, handle: place.handle, record: handleRecord.unpack(value) });
        }
        return found;
    });
}
/** Whether a node is a directory's, at any depth, or the directory itself. */
export async function isBelow(view, share, node, directory) {
    for (let at = node; at !== directory;) {
        if (at === ROOT)
            return false;
        const record = await findNode(view, share, at);
        if (record === undefined)
            return false;
        at = record.parent;
    }
    return true;
}
/** Ends handles as if their client had gone: share modes and locks are free at once. */
export async function forceCloseHandles(files, request) {
    const { share } = await findTarget(files, { ...request, maxResults: 0 });
    const page = await listHandles(files, { ...request, maxResults: FILE_LIMITS.closedPerRequestMax });
    const { account, share: name } = request.ref;
    let closed = 0;
    for (const { node, handle } of page.handles) {
        if (request.handle !== "*" && request.handle !== handle)
            continue;
        const ref = { ref: { account, share: name }, share: share.id, node, id: handle };
        if ((await endHandle(files, ref, { isForced: true })) === "closed")
            closed++;
    }
    return { closed, failed: 0, next: page.next };
}
