import { Refusal } from "../../base/refusals.js";
import { nodeKey } from "../../store/keys/file.js";
import { nodeRecord, } from "../../store/records/file.js";
import { ATTRIBUTE } from "./attributes.js";
import { checkShareName } from "./names.js";
import { ROOT, ticksOf } from "./nodes.js";
import { DEFAULT_SDDL, putPermission } from "./permissions.js";
import { findShare, putShare, volumeOf } from "./shares.js";
import { putVersioned } from "./versions.js";
export function createShare(files, request) {
    const { ref, settings, metadata } = request;
    checkShareName(ref.share);
    return files.change(async (write) => {
        if ((await findShare(write, ref)) !== undefined)
            throw new Refusal("ShareAlreadyExists");
        const revision = write.revision();
        const share = {
            id: revision,
            revision,
            settings: { ...settings, tierChangedAt: write.now() },
            ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
        };
        putShare(write, ref, share);
        const now = ticksOf(write);
        const root = {
            kind: "directory",
            parent: ROOT,
            name: "",
            revision,
            attributes: ATTRIBUTE.Directory,
            createdAt: now,
            writtenAt: now,
            changedAt: now,
            permission: putPermission(write, share.id, DEFAULT_SDDL),
            size: 0,
            content: revision,
            dataRevision: revision,
        };
        const key = nodeKey(share.id, ROOT);
        putVersioned(write, volumeOf(share), { key, body: nodeRecord.pack(root), since: revision });
        return share;
    });
}
