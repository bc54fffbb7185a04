import { SMB_LIMITS } from "../base/limits-smb.js";
import { breakCache, grantCache, isAnswerValid, NO_CACHE, needsAnswer, } from "../concurrency/cache-lease.js";
import { refuse, STATUS } from "./status.js";
const nameOf = (share, node) => `${share}:${node}`;
const leaseNameOf = ({ client, key }) => client.hexSlice() + key.hexSlice();
export class OpenedNodes {
    #timers;
    #sendBreak;
    #nodes = new Map();
    #leases = new Map();
    constructor(timers, sendBreak) {
        this.#timers = timers;
        this.#sendBreak = sendBreak;
    }
    get size() {
        return this.#nodes.size;
    }
    find(share, node) {
        return this.#nodes.get(nameOf(share, node));
    }
    findLease(name) {
        return this.#leases.get(leaseNameOf(name));
    }
    /** A lease key names one file: using it for another is a mistake of the client. */
    checkLease(name, node) {
        const entry = this.findLease(name);
        if (entry !== undefined && entry.node !== node)
            throw refuse(STATUS.INVALID_PARAMETER);
    }
    add(share, open) {
        const name = nameOf(share, open.file.node);
        let node = this.#nodes.get(name);
        if (node === undefined) {
            node = { name, opens: new Set(), caches: new Set(), lockWaiters: new Set() };
            this.#nodes.set(name, node);
        }
        node.opens.add(open);
        return node;
    }
    remove(share, open) {
        const node = this.find(share, open.file.node);
        if (node === undefined)
            return;
        node.opens.delete(open);
        const entry = open.cache;
        if (entry !== undefined) {
            entry.opens.delete(open);
            if (entry.opens.size === 0)
                this.#forget(entry);
        }
        this.locksChanged(node);
        if (node.opens.size === 0)
            this.#nodes.delete(node.name);
    }
    #forget(entry) {
        entry.state = NO_CACHE;
        entry.node.caches.delete(entry);
        if (entry.lease !== undefined)
            this.#leases.delete(leaseNameOf(entry.lease));
        entry.breaking?.finish();
    }
    /** Gives a new open the cache it may have. A lease that exists under the key is shared, and may grow. */
    grant(node, open, wish) {
        const { wanted, lease, isStat } = wish;
        const own = lease === undefined ? undefined : this.findLease(lease);
        const others = [...node.caches].filter((entry) => entry !== own);
        const isOwn = (other) => other === open || (own?.opens.has(other) ?? false);
        const granted = grantCache({
            wanted,
            isLease: lease !== undefined,
            isShared: [...node.opens].some((other) => !isOwn(other) && !isStat(other.access)),
            isLocked: [...node.opens].some((other) => !isOwn(other) && other.lockCount > 0),
            others: others.map((entry) => ({ state: entry.state, isLease: entry.lease !== undefined })),
        });
        if (own !== undefined) {
            own.opens.add(open);
            // A lease grows to all that was asked for or not at all, and never shrinks by asking.
            const isGrowing = granted === wanted && (granted & own.state) === own.state && granted !== own.state;
            if (own.breaking === undefined && isGrowing) {
                own.state = granted;
                own.epoch = (own.epoch + 1) & 0xffff;
            }
            return own;
        }
        if (lease === undefined && granted === NO_CACHE)
            return undefined;
        const entry = {
            node,
            lease,
            opens: new Set([open]),
            state: granted,
            epoch: 0,
            breaking: undefined,
        };
        node.caches.add(entry);
        if (lease !== undefined)
            this.#leases.set(leaseNameOf(lease), entry);
        return entry;
    }
    /**
     * Breaks what stands in the way of `conflict`, caches under `except` apart. The promise, when there is one, ends
     * once every client that must answer has; then the caller looks again.
     */
    resolve(node, conflict, except) {
        const waits = [];
        for (const entry of node.caches) {
            if (except(entry))
                continue;
            const broken = breakCache(entry.state, conflict);
            if (broken === undefined)
                continue;
            if (entry.breaking === undefined)
                this.#start(entry, broken.to);
            if (broken.isAwaited && entry.breaking !== undefined)
                waits.push(entry.breaking.done);
        }
        return waits.length === 0 ? undefined : Promise.all(waits).then(() => { });
    }
    #start(entry, to) {
        const isAnswerNeeded = needsAnswer(entry.state, to);
        entry.epoch = (entry.epoch + 1) & 0xffff;
        if (isAnswerNeeded) {
            let finish = () => { };
            const done = new Promise((resolve) => {
                finish = resolve;
            });
            const timer = this.#timers.after(SMB_LIMITS.breakMillis, () => this.#finish(entry, NO_CACHE));
            entry.breaking = {
                to,
                timer,
                done,
                finish: () => {
                    timer.cancel();
                    entry.breaking = undefined;
                    finish();
                },
            };
        }
        this.#sendBreak(entry, to, isAnswerNeeded);
        if (!isAnswerNeeded)
            this.#settle(entry, to);
    }
    #finish(entry, state) {
        const breaking = entry.breaking;
        this.#settle(entry, state);
        breaking?.finish();
    }
    #settle(entry, state) {
        entry.state = state;
        if (state !== NO_CACHE || entry.lease !== undefined)
            return;
        // An oplock that was broken to nothing is gone; a lease stays as long as its key is open.
        entry.node.caches.delete(entry);
        for (const open of entry.opens)
            open.cache = undefined;
    }
    /** The client's answer to a break. */
    acknowledge(entry, state) {
        const { breaking } = entry;
        if (breaking === undefined)
            throw refuse(entry.lease === undefined ? STATUS.INVALID_DEVICE_STATE : STATUS.UNSUCCESSFUL);
        if (!isAnswerValid(state, breaking.to)) {
            if (entry.lease === undefined)
                this.#finish(entry, NO_CACHE);
            throw refuse(entry.lease === undefined ? STATUS.INVALID_OPLOCK_PROTOCOL : STATUS.REQUEST_NOT_ACCEPTED);
        }
        this.#finish(entry, state);
    }
    locksChanged(node) {
        if (node.lockWaiters.size === 0)
            return;
        void (async () => {
            for (const attempt of [...node.lockWaiters])
                if (await attempt())
                    node.lockWaiters.delete(attempt);
        })();
    }
}
