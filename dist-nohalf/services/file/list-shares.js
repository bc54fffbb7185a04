import { deletedSharesRange, deletionOfKey, nameOfShareKey, sharesRange } from "../../store/keys/file.js";
import { shareRecord } from "../../store/records/file.js";
import { readSnapshots } from "./snapshots.js";
/** By name; of one name first the deleted shares, then the snapshots, then the share. */
export function listShares(files, request) {
    const { maxResults, from } = request;
    return files.read(async (read) => {
        const shares = [];
        for await (const { name, lines } of sharesByName(read, request)) {
            const skip = name === from?.name ? from.skip : 0;
            const left = lines.slice(skip);
            const room = maxResults - shares.length;
            shares.push(...left.slice(0, room));
            if (left.length > room)
                return { shares, next: { name, skip: skip + room }, now: read.now() };
        }
        return { shares, next: undefined, now: read.now() };
    });
}
async function* sharesByName(read, request) {
    const { account, prefix, from, includesDeleted, includesSnapshots } = request;
    const live = read.range(sharesRange(account, prefix, from?.name))[Symbol.asyncIterator]();
    const gone = includesDeleted
        ? read.range(deletedSharesRange(account, prefix, from?.name))[Symbol.asyncIterator]()
        : undefined;
    let left = await live.next();
    let right = await gone?.next();
    while (!left.done || (right !== undefined && !right.done)) {
        const liveName = left.done ? undefined : nameOfShareKey(left.value.key);
        const goneName = right === undefined || right.done ? undefined : nameOfShareKey(right.value.key);
        const isGone = goneName !== undefined && (liveName === undefined || goneName <= liveName);
        const name = (isGone ? goneName : liveName);
        const lines = [];
        while (right !== undefined && !right.done && nameOfShareKey(right.value.key) === name) {
            const facts = shareRecord.unpack(right.value.value);
            if ((facts.deleted?.until ?? 0) > read.now()) {
                lines.push({ name, facts, deletion: deletionOfKey(right.value.key) });
            }
            right = await gone?.next();
        }
        if (!left.done && liveName === name) {
            const facts = shareRecord.unpack(left.value.value);
            if (includesSnapshots && (facts.snapshots ?? 0) > 0) {
                for (const snapshot of await readSnapshots(read, facts.id)) {
                    lines.push({ name, facts: snapshot, snapshot: snapshot.time });
                }
            }
            lines.push({ name, facts });
            left = await live.next();
        }
        yield { name, lines };
    }
}
