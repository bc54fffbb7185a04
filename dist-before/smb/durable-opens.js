import { SMB_LIMITS } from "../base/limits-smb.js";
import { HANDLE_CACHE } from "../concurrency/cache-lease.js";
import { closeOpen } from "./end-open.js";
import { refuse, STATUS } from "./status.js";
/**
 * Opens whose connection was lost while the client had been promised to find them again. They keep their share mode,
 * locks and cache until the client comes back, their time is over, or somebody else needs the cache they hold.
 */
export class DurableOpens {
    #server;
    #kept = new Map();
    constructor(server) {
        this.#server = server;
    }
    /** True when the open stays. */
    keep(open) {
        const { durability, cache } = open;
        const holdsHandle = cache !== undefined && cache.breaking === undefined && (cache.state & HANDLE_CACHE) !== 0;
        if (durability === undefined || !holdsHandle || this.#kept.size >= SMB_LIMITS.durableOpensMax)
            return false;
        const { connection, account } = open.session;
        const timer = this.#server.timers.after(durability.timeoutMillis, () => void this.drop(open));
        this.#kept.set(open.fileId.persistent, { open, clientGuid: connection.clientGuid, account, timer });
        return true;
    }
    isKept(open) {
        return this.#kept.get(open.fileId.persistent)?.open === open;
    }
    /** Takes an open back for a client that proves to be the same. */
    claim(wanted) {
        const kept = this.#kept.get(wanted.persistent);
        if (kept === undefined || kept.account !== wanted.account)
            return undefined;
        const { open } = kept;
        const isV2 = open.durability?.kind === "v2";
        if (isV2 !== (wanted.createGuid !== undefined))
            return undefined;
        if (isV2 && !open.durability.createGuid.equals(wanted.createGuid))
            return undefined;
        const lease = open.cache?.lease;
        if ((lease === undefined) !== (wanted.leaseKey === undefined))
            return undefined;
        if (lease !== undefined &&
            !(lease.key.equals(wanted.leaseKey) && kept.clientGuid.equals(wanted.clientGuid)))
            return undefined;
        // With a lease the client also names the file, and must name the right one.
        const isNamed = open.path.join("\\").toUpperCase() === wanted.name.toUpperCase();
        if (lease !== undefined && !isNamed)
            throw refuse(STATUS.INVALID_PARAMETER);
        kept.timer.cancel();
        this.#kept.delete(wanted.persistent);
        return open;
    }
    /** Its time is over, or it is in the way. */
    async drop(open) {
        const kept = this.#kept.get(open.fileId.persistent);
        if (kept?.open !== open)
            return;
        kept.timer.cancel();
        this.#kept.delete(open.fileId.persistent);
        await closeOpen(this.#server, open);
    }
    async close() {
        await Promise.all([...this.#kept.values()].map(({ open }) => this.drop(open)));
    }
}
