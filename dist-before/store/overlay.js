/**
 * Writes that are not in the committed state yet: those of one transaction, or of a batch on its way to the
 * disk. Ordered, so that a scan can merge it; `null` marks a deletion.
 */
export class Overlay {
    writes = new Map();
    #keys = [];
    bytes = 0;
    set(key, value) {
        if (!this.writes.has(key))
            this.#keys.splice(this.#indexOf(key), 0, key);
        this.writes.set(key, value);
        this.bytes += key.length + (value?.length ?? 0);
    }
    /** Takes over everything in `later`, which was written on top of this. */
    absorb(later) {
        for (const [key, value] of later.writes)
            this.set(key, value);
    }
    hasIn(from, to) {
        const at = this.#indexOf(from);
        return at < this.#keys.length && this.#keys[at] < to;
    }
    keysIn(from, to) {
        return this.#keys.slice(this.#indexOf(from), this.#indexOf(to));
    }
    /** Index of the first key at or above `key`. */
    #indexOf(key) {
        let low = 0;
        let high = this.#keys.length;
        if (high > 0 && this.#keys[high - 1] < key)
            return high;
        while (low < high) {
            const middle = (low + high) >>> 1;
            if (this.#keys[middle] < key)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
}
/** A copy: what a reader gets is its own, while the pending bytes are still to be written. */
function ownCopy(bytes) {
    return Buffer.from(bytes);
}
/** Reads through layers of pending writes, newest first, down to the committed state. */
export function layeredGet(layers, base, key) {
    for (const layer of layers) {
        const pending = layer.writes.get(key);
        if (pending !== undefined)
            return pending === null ? undefined : ownCopy(pending);
    }
    return base.get(key);
}
export function layeredPage(layers, base, range, limit) {
    const { reverse = false } = range;
    let { from, to } = range;
    if (!layers.some((layer) => layer.hasIn(from, to)))
        return base.page(range, limit);
    const found = [];
    while (found.length < limit && from < to) {
        const page = base.page({ from, to, reverse }, limit - found.length);
        const last = page.at(-1);
        const isLast = last === undefined || page.length < limit - found.length;
        // The stretch of keys this page speaks for: up to its last key, or all of the rest.
        const low = reverse && !isLast ? last.key : from;
        const high = reverse || isLast ? to : `${last.key}\0`;
        for (const entry of mergeStretch(layers, page, low, high, reverse)) {
            if (found.length < limit)
                found.push(entry);
        }
        if (isLast)
            break;
        if (reverse)
            to = low;
        else
            from = high;
    }
    return found;
}
function mergeStretch(layers, page, low, high, reverse) {
    const pending = new Map();
    for (const layer of layers) {
        for (const key of layer.keysIn(low, high)) {
            if (!pending.has(key))
                pending.set(key, layer.writes.get(key) ?? null);
        }
    }
    const merged = page.filter((entry) => !pending.has(entry.key));
    for (const [key, value] of pending) {
        if (value !== null)
            merged.push({ key, value: ownCopy(value) });
    }
    if (pending.size > 0) {
        merged.sort((a, b) => (a.key < b.key ? -1 : 1));
        if (reverse)
            merged.reverse();
    }
    return merged;
}
