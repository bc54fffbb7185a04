import { checkFileRead } from "../../concurrency/file-lease.js";
import { findNode, lookUp } from "./nodes.js";
import { FileContent, openWindow, } from "./read-content.js";
import { leaseOf, openShare, throwIf } from "./shares.js";
/** A file as one snapshot of the store has it, checked for a read. */
export async function openForRead(read, grants, { ref, leaseId }, use, range) {
    const opened = await openShare(read, ref);
    const node = await lookUp(opened.view, opened.share.id, ref.path, "file");
    // Nobody has anything open in the past.
    const wanted = range?.(node.record);
    const bytes = wanted === undefined
        ? undefined
        : { offset: BigInt(wanted.from), length: BigInt(wanted.to - wanted.from) };
    const grant = ref.snapshot === undefined ? grants.ask(opened.share, node, use, bytes) : undefined;
    throwIf(checkFileRead(leaseOf(node.record), leaseId, read.now()));
    grant?.pass();
    return { ...opened, node, now: read.now() };
}
export function getFileProperties(files, request) {
    return files.read(async (read, grants) => {
        const { node, now } = await openForRead(read, grants, request, "look");
        return { node, now };
    });
}
/** Opens a part of a file. The caller streams it and closes it. */
export function getFile(files, request) {
    const { payloads } = files.parts;
    return files.read(async (read, grants) => {
        const opened = await openForRead(read, grants, request, "read", ({ size }) => request.part(size));
        const { share, view, node, now } = opened;
        const { from, to } = request.part(node.record.size);
        const ref = { share: share.id, content: node.record.content, from, to };
        const first = await openWindow(read, view, payloads, ref);
        return { node, now, content: new FileContent(ref, first, nextWindow(files, request, node, ref)) };
    });
}
/** A later part of the same state of the file; undefined when somebody has written to it since. */
function nextWindow(files, request, node, ref) {
    return (from) => files.parts.store.read(async (read) => {
        const { view } = await openShare(read, request.ref);
        const record = await findNode(view, ref.share, node.id);
        if (record?.dataRevision !== node.record.dataRevision)
            return undefined;
        return openWindow(read, view, files.parts.payloads, { ...ref, from });
    });
}
