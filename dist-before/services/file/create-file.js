import { FILE_LIMITS } from "../../base/limits-file.js";
import { Refusal } from "../../base/refusals.js";
import { keepContent } from "../payload/content.js";
import { ATTRIBUTE, settledAttributes } from "./attributes.js";
import { checkChange, checkParent, settleTime } from "./node-changes.js";
import { findPlace, putEntry, putNode, readNode, ticksOf } from "./nodes.js";
import { settlePermission } from "./permissions.js";
import { discardContent, putRecord, rangeOf } from "./ranges.js";
import { changeUsage, leaseOf, readShare, refuseSnapshot, withLease } from "./shares.js";
import { LiveView } from "./versions.js";
/**
 * Makes a file of zeros, or makes an existing one anew: its content, properties and metadata go, its id and its
 * lease stay.
 */
export async function createFile(files, request) {
    const { ref, size, first } = request;
    refuseSnapshot(ref);
    if (size > FILE_LIMITS.fileBytesMax)
        throw new Refusal("OutOfRangeInput");
    try {
        return await files.change(async (write, grants) => {
            const share = await readShare(write, ref);
            const node = await makeFile(write, grants, share, request);
            if (first === undefined || first.length === 0)
                return node;
            await keepContent(files.parts.payloads, write, first.content);
            const { revision: since, content } = node.record;
            const range = rangeOf(first.content);
            putRecord({ write, payloads: files.parts.payloads, share, content, since }, 0, range);
            return node;
        });
    }
    finally {
        first?.release();
    }
}
/** The empty file itself, in the caller's transaction. */
export async function makeFile(write, grants, share, request) {
    const { ref, size, wishes, headers, metadata, leaseId } = request;
    const view = new LiveView(write);
    if (ref.path.length === 0)
        throw new Refusal("ResourceTypeMismatch");
    const { parent, name, entry } = await findPlace(view, share.id, ref.path);
    if (entry?.kind === "directory")
        throw new Refusal("ResourceTypeMismatch");
    const former = entry === undefined ? undefined : { id: entry.node, record: await readNode(view, share.id, entry.node) };
    if (former !== undefined) {
        const ignoresReadOnly = request.ignoresReadOnly === true;
        checkChange(write, grants, share, former, leaseId, "overwrite", { ignoresReadOnly });
        discardContent(write, share, former.record.content);
    }
    else {
        if (leaseId !== undefined)
            throw new Refusal("LeaseNotPresentWithFileOperation");
        await checkParent(view, grants, share, parent);
    }
    await changeUsage(write, share, size - (former?.record.size ?? 0));
    const revision = write.revision(former?.record.revision);
    const id = former?.id ?? revision;
    const now = ticksOf(write);
    const inherited = (await readNode(view, share.id, parent)).permission;
    const permission = await settlePermission(write, share.id, wishes.permission, {
        own: undefined,
        inherited,
    });
    const record = {
        kind: "file",
        parent,
        // A name keeps the spelling it was first given.
        name: former?.record.name ?? name,
        revision,
        attributes: settledAttributes("file", wishes.attributes ?? ATTRIBUTE.Archive),
        createdAt: settleTime(wishes.createdAt, now, now),
        writtenAt: settleTime(wishes.writtenAt, now, now),
        changedAt: settleTime(wishes.changedAt, now, now),
        size,
        content: revision,
        dataRevision: revision,
        ...(permission === undefined ? {} : { permission }),
        ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
        ...(headers === undefined ? {} : { headers }),
    };
    const kept = former === undefined ? record : withLease(record, leaseOf(former.record));
    await putNode(write, share, id, kept, revision);
    if (former === undefined) {
        await putEntry(write, share, parent, { name, node: id, kind: "file" }, revision);
    }
    return { id, record: kept };
}
