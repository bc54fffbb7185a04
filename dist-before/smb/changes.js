import { SMB_LIMITS } from "../base/limits-smb.js";
import { refuse, STATUS } from "./status.js";
import { encodeNotifyRecords, notifyRecordBytes } from "./wire/directory.js";
/**
 * Change notification. A watch belongs to an open directory; its first request fixes what it looks for, and what
 * happens between two requests is kept, up to a limit beyond which the client is told to look for itself. Only what
 * SMB clients do is told: REST calls do not notify, as on Azure.
 */
export class Watch {
    path;
    filter;
    isRecursive;
    #records = [];
    #bytes = 0;
    #hasOverflowed = false;
    #waiting = [];
    constructor(path, filter, isRecursive) {
        this.path = path;
        this.filter = filter;
        this.isRecursive = isRecursive;
    }
    record(record) {
        if (this.#hasOverflowed)
            return;
        this.#records.push(record);
        this.#bytes += notifyRecordBytes(record);
        if (this.#bytes > SMB_LIMITS.notifyBytesMax)
            this.#overflow();
    }
    #overflow() {
        this.#hasOverflowed = true;
        this.#records = [];
        this.#bytes = 0;
    }
    /** Answers a request that waits, when there is something to say. */
    flush() {
        if (this.#records.length === 0 && !this.#hasOverflowed)
            return;
        const next = this.#waiting.shift();
        if (next !== undefined)
            next.resolve(this.#take(next.bytesMax));
    }
    take(bytesMax) {
        if (this.#records.length === 0 && !this.#hasOverflowed)
            return undefined;
        return this.#take(bytesMax);
    }
    #take(bytesMax) {
        const data = encodeNotifyRecords(this.#records);
        const isTooMuch = this.#hasOverflowed || data.length > bytesMax;
        this.#records = [];
        this.#bytes = 0;
        this.#hasOverflowed = false;
        return isTooMuch
            ? { status: STATUS.NOTIFY_ENUM_DIR, data: Buffer.alloc(0) }
            : { status: STATUS.SUCCESS, data };
    }
    wait(bytesMax) {
        let settle = () => { };
        const result = new Promise((resolve) => {
            settle = resolve;
        });
        const entry = { bytesMax, resolve: settle };
        this.#waiting.push(entry);
        const cancel = () => {
            this.#waiting = this.#waiting.filter((one) => one !== entry);
        };
        return { result, cancel };
    }
    /** Ends every request that waits: the directory was closed or removed. */
    end(status) {
        const waiting = this.#waiting;
        this.#waiting = [];
        for (const { resolve } of waiting)
            resolve({ status, data: Buffer.alloc(0) });
    }
}
const fold = (path) => path.join("\\").toUpperCase();
/** The watches of all shares, found by directory: an event looks at the directories above it and nowhere else. */
export class ChangeHub {
    #watches = new Map();
    #nameOf(share, path) {
        return `${share}:${fold(path)}`;
    }
    add(share, watch) {
        const name = this.#nameOf(share, watch.path);
        const found = this.#watches.get(name);
        if (found === undefined)
            this.#watches.set(name, new Set([watch]));
        else
            found.add(watch);
    }
    remove(share, watch) {
        const name = this.#nameOf(share, watch.path);
        const found = this.#watches.get(name);
        found?.delete(watch);
        if (found?.size === 0)
            this.#watches.delete(name);
    }
    /** Tells what happened at a path. Several events of one operation belong into one answer, so they come together. */
    tell(share, events) {
        if (this.#watches.size === 0)
            return;
        const touched = new Set();
        for (const { path, action, filter } of events) {
            for (let depth = path.length - 1; depth >= 0; depth--) {
                const isParent = depth === path.length - 1;
                for (const watch of this.#watches.get(this.#nameOf(share, path.slice(0, depth))) ?? []) {
                    if ((watch.filter & filter) === 0 || !(isParent || watch.isRecursive))
                        continue;
                    watch.record({ action, name: path.slice(depth).join("\\") });
                    touched.add(watch);
                }
            }
        }
        for (const watch of touched)
            watch.flush();
    }
    /** A directory is gone: whoever watched it is told. */
    removed(share, path) {
        for (const watch of this.#watches.get(this.#nameOf(share, path)) ?? [])
            watch.end(STATUS.DELETE_PENDING);
    }
}
export function checkWatchSize(bytes) {
    if (bytes > SMB_LIMITS.transactBytesMax)
        throw refuse(STATUS.INVALID_PARAMETER);
}
