import { FILE_LIMITS } from "../../base/limits-file.js";
import { withGrants } from "./access.js";
import { fileChores } from "./reclaim.js";
import { findShare } from "./shares.js";
/**
 * The File service: what its operations mean. Each operation is a function of its own file in this folder, given
 * this service; HTTP and SMB call the same ones.
 */
export class FileService {
    parts;
    shareRetentionDays;
    constructor(parts, options = {}) {
        this.parts = parts;
        this.shareRetentionDays = options.shareRetentionDays ?? FILE_LIMITS.shareRetentionDays;
    }
    /** One snapshot of the store, and what the table of handles says about the nodes that are touched in it. */
    read(fn) {
        const { store } = this.parts;
        return withGrants(store.ephemeral, (grants) => store.read((read) => fn(read, grants)));
    }
    /** One durable transaction; see access.ts for how it meets open handles. */
    change(fn) {
        const { store } = this.parts;
        return withGrants(store.ephemeral, (grants) => store.write((write) => fn(write, grants)));
    }
    /** Stored access policies of a share; undefined when there is no such share. */
    async policies(account, name) {
        const share = await this.parts.store.read((read) => findShare(read, { account, share: name }));
        return share === undefined ? undefined : (share.policies ?? []);
    }
    /** Its work in the background. */
    chores() {
        return fileChores(this);
    }
}
