import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { afterPrefix, blobOfKey, blobsOf, fromBlob, pastOfBlob, pastOfKey } from "../../store/keys/blob.js";
import { keyAfter } from "../../store/keys/pack.js";
import { blobRecord } from "../../store/records/blob.js";
import { isThere, settled } from "./blobs.js";
import { readContainer } from "./containers.js";
import { mergeOrdered } from "./merge.js";
export async function listBlobs(blobs, request) {
    return blobs.parts.store.read(async (read) => {
        const container = await readContainer(read, request.ref);
        return new Listing(read, container.id, request).page();
    });
}
class Listing {
    #read;
    #container;
    #request;
    #now;
    #items = [];
    #scanned = 0;
    constructor(read, container, request) {
        this.#read = read;
        this.#container = container;
        this.#request = request;
        this.#now = read.now();
    }
    async page() {
        let start = this.#request.from;
        do
            start = await this.#walk(start);
        while (start !== undefined && "behind" in start);
        return { items: this.#items, next: start, now: this.#now };
    }
    /** Shows what it meets until the page is full (where the next one begins) or a folder is to be stepped over. */
    async #walk(start) {
        for await (const { seen, shown } of this.#visible(start)) {
            if (shown === undefined) {
                if (++this.#scanned > BLOB_LIMITS.listScanMax && this.#items.length > 0)
                    return positionOf(seen);
                continue;
            }
            const folder = this.#folderOf(seen.blob);
            if (this.#items.length >= this.#request.maxResults) {
                return folder === undefined ? positionOf(seen) : { folder };
            }
            this.#items.push(folder === undefined ? shown : { folder });
            if (folder !== undefined)
                return { behind: folder };
        }
        return undefined;
    }
    #folderOf(blob) {
        const { prefix, delimiter } = this.#request;
        if (delimiter === undefined)
            return undefined;
        const end = blob.indexOf(delimiter, prefix.length);
        return end < 0 ? undefined : blob.slice(0, end + delimiter.length);
    }
    /** Everything on the way, with how it is shown, if at all. */
    async *#visible(start) {
        // Of a name with versions and no blob, the newest version stands for all: known when the name is over.
        let orphan;
        for await (const seen of this.#entries(start)) {
            const record = settled(blobRecord.unpack(seen.value), this.#now);
            if (orphan !== undefined && orphan.seen.blob !== seen.blob)
                yield orphan;
            orphan = undefined;
            if (this.#request.include.deletedWithVersions && record.past === "version") {
                orphan = { seen, shown: { blob: seen.blob, record, hasVersionsOnly: true } };
            }
            yield { seen, shown: this.#shown(seen, record) };
        }
        if (orphan !== undefined)
            yield orphan;
    }
    #shown({ blob, past }, record) {
        const { include } = this.#request;
        if (past === undefined) {
            const isShown = record.isUncommitted === true ? include.uncommitted : isThere(record, this.#now);
            return isShown ? { blob, record } : undefined;
        }
        const isShown = record.deleted === undefined || (include.deleted && record.deleted.until > this.#now);
        if (!isShown)
            return undefined;
        switch (record.past) {
            case "snapshot":
                return include.snapshots ? { blob, past, record } : undefined;
            case "version":
                return include.versions ? { blob, past, record } : undefined;
            default:
                // The deleted blob itself: it is named without the id it is kept under.
                return include.deleted ? { blob, record } : undefined;
        }
    }
    #entries(start) {
        const present = this.#scan("bb", start, ({ key, value }) => ({ blob: blobOfKey(key), value }));
        const { snapshots, versions, deleted, deletedWithVersions } = this.#request.include;
        if (!snapshots && !versions && !deleted && !deletedWithVersions)
            return present;
        const past = this.#scan("bp", start, ({ key, value }) => {
            const { blob, revision } = pastOfKey(key);
            return { blob, past: revision, value };
        });
        return mergeOrdered(past, present, (one, other) => isNameBefore(one.blob, other.blob));
    }
    #keyOf(family, start) {
        const container = this.#container;
        if (start === undefined)
            return "";
        if ("behind" in start)
            return afterPrefix(family, container, start.behind);
        if ("folder" in start)
            return blobsOf(family, container, start.folder).from;
        if (family === "bb")
            return fromBlob("bb", container, start.blob);
        if (start.past === undefined)
            return pastOfBlob(container, start.blob).to;
        return fromBlob("bp", container, start.blob, start.past);
    }
    /** With folders to step over, a few entries at a time: most walks end at the first. */
    async *#scan(family, start, map) {
        const { delimiter, maxResults, prefix } = this.#request;
        let range = blobsOf(family, this.#container, prefix);
        const from = this.#keyOf(family, start);
        if (from > range.from)
            range = { ...range, from };
        let size = delimiter === undefined ? maxResults + 1 : FIRST_STEP;
        while (range.from < range.to) {
            let last;
            let count = 0;
            for await (const entry of this.#read.range({ ...range, limit: size })) {
                yield map(entry);
                last = entry.key;
                count++;
            }
            if (last === undefined || count < size)
                return;
            range = { ...range, from: keyAfter(last) };
            size = Math.min(size * 4, STEP_MAX);
        }
    }
}
const FIRST_STEP = 4;
const STEP_MAX = 5_001;
function positionOf({ blob, past }) {
    return past === undefined ? { blob } : { blob, past };
}
/** In the order of the keys: by bytes of UTF-8, which is by code point. */
function isNameBefore(one, other) {
    if (one === other)
        return false;
    const length = Math.min(one.length, other.length);
    for (let i = 0; i < length; i++) {
        const [a, b] = [one.charCodeAt(i), other.charCodeAt(i)];
        if (a === b)
            continue;
        // Surrogates stand for code points above every other unit.
        const isSurrogate = (unit) => unit >= 0xd800 && unit <= 0xdfff;
        if (isSurrogate(a) !== isSurrogate(b))
            return isSurrogate(b);
        return a < b;
    }
    return one.length < other.length;
}
