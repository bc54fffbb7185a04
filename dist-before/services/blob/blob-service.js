import { findContainer } from "./containers.js";
import { piecePages } from "./piece-pages.js";
import { reclaimGarbage } from "./reclaim-garbage.js";
import { workDue } from "./work-due.js";
/**
 * The Blob service: what its operations mean. Each operation is a function of its own, in a file named as the
 * protocol names it, and takes this as its first argument.
 */
export class BlobService {
    parts;
    isVersioned;
    constructor(parts, options = {}) {
        this.parts = parts;
        this.isVersioned = options.isVersioned ?? false;
    }
    /** Stored access policies of a container; undefined when there is no such container. */
    async policies(account, container) {
        const found = await this.parts.store.read((read) => findContainer(read, { account, container }));
        return found === undefined ? undefined : (found.policies ?? []);
    }
    /** What anonymous callers may read of a container. */
    async publicAccess(account, container) {
        const found = await this.parts.store.read((read) => findContainer(read, { account, container }));
        return found?.publicAccess ?? "none";
    }
    /** Its work in the background. */
    chores() {
        return [reclaimGarbage(this), workDue(this), piecePages(this)];
    }
}
