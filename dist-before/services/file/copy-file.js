import { FILE_LIMITS } from "../../base/limits-file.js";
import { Refusal } from "../../base/refusals.js";
import { keepContent, takeIn } from "../payload/content.js";
import { ATTRIBUTE } from "./attributes.js";
import { makeFile } from "./create-file.js";
import { openForRead } from "./get-file.js";
import { openForChange, putChanged } from "./node-changes.js";
import { findNode } from "./nodes.js";
import { findPermission } from "./permissions.js";
import { slicesOf } from "./range-record.js";
import { discardContent, putBytes, putRecord } from "./ranges.js";
import { rangesIn } from "./read-content.js";
import { changeUsage, findShare, openShare, readShare } from "./shares.js";
import { LiveView } from "./versions.js";
async function beginCopy(write, grants, share, request, original, status) {
    const { wishes, takes, metadata } = request;
    const { node, size, sddl } = original;
    const attributes = takes.has("attributes") ? node?.attributes : wishes.attributes;
    const made = await makeFile(write, grants, share, {
        ref: request.ref,
        size,
        leaseId: request.leaseId,
        ignoresReadOnly: request.ignoresReadOnly,
        headers: original.headers,
        metadata: metadata === undefined || Object.keys(metadata).length === 0 ? original.metadata : metadata,
        wishes: {
            attributes: request.setsArchive ? (attributes ?? 0) | ATTRIBUTE.Archive : attributes,
            createdAt: takes.has("createdAt") ? node?.createdAt : wishes.createdAt,
            writtenAt: takes.has("writtenAt") ? node?.writtenAt : wishes.writtenAt,
            changedAt: takes.has("changedAt") ? node?.changedAt : wishes.changedAt,
            permission: takes.has("permission") && sddl !== undefined ? { sddl } : wishes.permission,
        },
    });
    const copy = {
        id: request.copyId,
        source: request.shown,
        status,
        bytes: status === "success" ? size : 0,
        total: size,
        ...(status === "success" ? { endedAt: write.now() } : {}),
    };
    const { revision: _, ...times } = made.record;
    const revision = await putChanged(write, share, made, { changedAt: times.changedAt, copy });
    return { id: made.id, record: { ...made.record, copy, revision } };
}
/** One transaction while the source has few ranges; otherwise the first step of several. */
export function copyFile(files, request, source) {
    return files.change(async (write, grants) => {
        const opened = await openForRead(write, grants, { ref: source }, "read");
        const { record } = opened.node;
        if (record.copy?.status === "pending")
            throw new Refusal("PendingCopyOperation");
        const share = await readShare(write, request.ref);
        const ref = { share: opened.share.id, content: record.content, from: 0, to: record.size };
        const ranges = [];
        let isAll = true;
        for await (const range of rangesIn(opened.view, ref)) {
            if (ranges.length === FILE_LIMITS.copyRangesPerStep) {
                isAll = false;
                break;
            }
            ranges.push(range);
        }
        const sddl = record.permission === undefined
            ? undefined
            : await findPermission(write, opened.share.id, record.permission);
        const original = {
            size: record.size,
            headers: record.headers,
            metadata: record.metadata,
            node: record,
            sddl,
        };
        const node = await beginCopy(write, grants, share, request, original, isAll ? "success" : "pending");
        if (isAll)
            await shareRanges(files, write, share, node, ranges);
        const from = { ref: source, node: opened.node.id, dataRevision: record.dataRevision };
        const work = { request, node: node.id, share: share.id, size: record.size, source: from };
        return { node, work: isAll ? undefined : work };
    });
}
async function shareRanges({ parts: { payloads } }, write, share, { record }, ranges) {
    const slices = ranges.flatMap((range) => slicesOf(range.record));
    if (slices.length > 0)
        await payloads.share(write, slices);
    for (const { offset, record: range } of ranges) {
        putRecord({ write, payloads, share, content: record.content, since: record.revision }, offset, range);
    }
}
/** The next ranges of a copy within this server; `next` is undefined when the source is through. */
export function copyNextRanges(files, work, from) {
    const { source } = work;
    return files.parts.store.write(async (write) => {
        const target = await findPending(write, work);
        const { share, view } = await openShare(write, source.ref);
        const record = await findNode(view, share.id, source.node);
        if (record?.dataRevision !== source.dataRevision) {
            throw new Refusal("CannotVerifyCopySource", { text: "The source was changed while it was copied." });
        }
        const ref = { share: share.id, content: record.content, from, to: work.size };
        const ranges = [];
        let next;
        for await (const range of rangesIn(view, ref)) {
            if (ranges.length === FILE_LIMITS.copyRangesPerStep) {
                next = range.offset;
                break;
            }
            ranges.push(range);
        }
        await shareRanges(files, write, target.share, target.node, ranges);
        await putCopy(write, target, { bytes: next ?? work.size });
        return { next };
    });
}
/** A copy whose bytes come from elsewhere: a file of zeros that says "pending". */
export function beginCopyFromUrl(files, request, original) {
    if (original.size > FILE_LIMITS.fileBytesMax)
        throw new Refusal("OutOfRangeInput");
    return files.change(async (write, grants) => {
        const share = await readShare(write, request.ref);
        const node = await beginCopy(write, grants, share, request, original, "pending");
        return { node, work: { request, node: node.id, share: share.id, size: original.size } };
    });
}
/** The target of a copy that still goes on; a copy that was aborted or overwritten is over. */
async function findPending(write, { request, node, share: id }) {
    const share = await findShare(write, request.ref);
    const record = share?.id === id ? await findNode(new LiveView(write), id, node) : undefined;
    const copy = record?.copy;
    if (share === undefined ||
        record === undefined ||
        copy?.id !== request.copyId ||
        copy.status !== "pending") {
        throw new Refusal("NoPendingCopyOperation");
    }
    return { share, node: { id: node, record } };
}
async function putCopy(write, { share, node }, change) {
    const copy = {
        ...node.record.copy,
        ...change,
        ...(change.status === undefined ? {} : { endedAt: write.now() }),
    };
    await putChanged(write, share, node, { copy, dataRevision: write.revision(node.record.dataRevision) });
}
/** Bytes of a copy from elsewhere, in order, up to 4 MiB at a time. */
export async function putCopiedBytes(files, work, offset, bytes) {
    const { payloads, store } = files.parts;
    const taken = await takeIn(payloads, bytes);
    try {
        await store.write(async (write) => {
            const target = await findPending(write, work);
            await keepContent(payloads, write, taken.content);
            const { share, node } = target;
            const at = { write, payloads, share, content: node.record.content, since: write.revision() };
            await putBytes(at, offset, taken.content);
            await putCopy(write, target, { bytes: offset + bytes.length });
        });
    }
    finally {
        taken.release();
    }
}
export function endCopy(files, work, outcome) {
    return files.parts.store.write(async (write) => putCopy(write, await findPending(write, work), outcome));
}
/** Ends a copy that goes on; the file is left empty. */
export async function abortCopy(files, request) {
    await files.change(async (write, grants) => {
        const { share, node } = await openForChange(write, grants, request, "write", {
            ignoresCopy: true,
            ignoresReadOnly: true,
        });
        const { copy } = node.record;
        if (copy?.status !== "pending")
            throw new Refusal("NoPendingCopyOperation");
        if (copy.id !== request.copyId)
            throw new Refusal("CopyIdMismatch");
        await changeUsage(write, share, -node.record.size);
        discardContent(write, share, node.record.content);
        const revision = write.revision(node.record.revision);
        await putChanged(write, share, node, {
            size: 0,
            content: revision,
            dataRevision: revision,
            copy: { ...copy, status: "aborted", endedAt: write.now() },
        });
    });
}
