import { Refusal } from "../../base/refusals.js";
import { mayRead, mayRestWrite } from "../../concurrency/byte-range-lock.js";
import { checkRestUse, restOpen } from "../../concurrency/share-mode.js";
import { deletePendingKey, deletePendingOf, handlesOfNode, handlesOfShare, locksOfNode, nodeOfDeletePendingKey, readHandleKey, restAccessKey, } from "../../store/keys/file.js";
import { handleRecord, locksRecord, restAccessRecord, } from "../../store/records/file.js";
/**
 * How REST calls meet the handles that SMB clients have open.
 *
 * Handles live in the ephemeral key space and files in the durable one: two stores, and no transaction over both.
 * Two steps make sure that no REST call slips past an open that excludes it.
 *
 * 1. A share's durable record says whether SMB clients may have anything open in it (`isOpened`). An open puts its
 *    handle into the ephemeral space first, then makes sure that the mark is there, and answers only after that.
 *    A REST call that finds no mark in its transaction therefore comes before any open that matters: transactions
 *    are serializable, so the mark (and with it the answer to the SMB client) comes after the call's commit. Shares
 *    that no SMB client uses pay nothing at all for this.
 *
 * 2. In a share with the mark, the call's transaction throws `NeedsGrant`. The decision is then taken inside one
 *    ephemeral transaction, against the handles as they are, and the same transaction puts a record of the call: an
 *    open of its own, which SMB opens meet and wait for. With that in hand the durable transaction runs again. When
 *    it has ended the record goes. Between the decision and the commit, no conflicting open can come in.
 *
 * The mark is taken away again when nothing has been open for a while (see handles.ts). A process that dies leaves
 * no record behind: the ephemeral space forgets what it owned.
 */
class NeedsGrant extends Error {
    wanted;
    constructor(wanted) {
        super("the table of handles must be asked");
        this.wanted = wanted;
    }
}
const OPEN_ROAD = { pass() { } };
/** What one REST call was granted so far. */
export class Grants {
    #granted = new Map();
    #pending = new Map();
    #open = new Map();
    keys = [];
    /** To be called before anything else is checked of a node: a file that is being deleted answers nothing else. */
    ask(share, node, use, range) {
        if (share.isOpened !== true)
            return OPEN_ROAD;
        const wanted = { share: share.id, node: node.id, kind: node.record.kind, use, range };
        const grant = this.#granted.get(nameOf(wanted));
        if (grant === undefined)
            throw new NeedsGrant(wanted);
        return grant;
    }
    give(wanted, grant) {
        this.#granted.set(nameOf(wanted), grant);
    }
    /** Nodes of a share that listings leave out. */
    hidden(share) {
        if (share.isOpened !== true)
            return NOBODY;
        const found = this.#pending.get(share.id);
        if (found === undefined)
            throw new NeedsNodes(share.id);
        return found;
    }
    /** Nodes of a share that somebody has open. */
    openNodes(share) {
        if (share.isOpened !== true)
            return NOBODY;
        const found = this.#open.get(share.id);
        if (found === undefined)
            throw new NeedsNodes(share.id);
        return found;
    }
    giveNodes(share, pending, open) {
        this.#pending.set(share, pending);
        this.#open.set(share, open);
    }
}
const NOBODY = new Set();
class NeedsNodes extends Error {
    share;
    constructor(share) {
        super("the nodes that are open or to be deleted must be listed");
        this.share = share;
    }
}
function nameOf({ share, node, use }) {
    return `${share} ${node} ${use}`;
}
/** Runs a call's transaction, again whenever it meets a node that the table of handles must be asked about. */
export async function withGrants(ephemeral, run) {
    const grants = new Grants();
    try {
        for (;;) {
            try {
                return await run(grants);
            }
            catch (error) {
                if (error instanceof NeedsGrant)
                    await decide(ephemeral, grants, error.wanted);
                else if (error instanceof NeedsNodes)
                    await listNodes(ephemeral, grants, error.share);
                else
                    throw error;
            }
        }
    }
    finally {
        if (grants.keys.length > 0) {
            await ephemeral.write(async (write) => {
                for (const key of grants.keys)
                    write.delete(key);
            });
        }
    }
}
async function listNodes(ephemeral, grants, share) {
    await ephemeral.read(async (read) => {
        const pending = new Set();
        for await (const { key } of read.range(deletePendingOf(share)))
            pending.add(nodeOfDeletePendingKey(key));
        const open = new Set();
        for await (const { key } of read.range(handlesOfShare(share)))
            open.add(readHandleKey(key).node);
        grants.giveNodes(share, pending, open);
    });
}
async function decide(ephemeral, grants, wanted) {
    const { share, node, use } = wanted;
    const taken = await ephemeral.write(async (write) => {
        if ((await write.get(deletePendingKey(share, node))) !== undefined)
            throw new Refusal("SMBDeletePending");
        const { handles, locks } = await readOpens(write, share, node);
        const refusal = refusalOf(wanted, handles, locks);
        if (refusal !== undefined || use === "look")
            return { refusal, key: undefined };
        const key = restAccessKey(share, node, write.revision());
        write.put(key, restAccessRecord.pack(restOpen(use)));
        return { refusal, key };
    });
    if (taken.key !== undefined)
        grants.keys.push(taken.key);
    grants.give(wanted, { pass: () => refuse(taken.refusal) });
}
function refuse(code) {
    if (code !== undefined)
        throw new Refusal(code);
}
function refusalOf({ kind, use, range }, handles, locks) {
    if (kind === "directory") {
        const isInUse = use === "delete" && handles.length > 0;
        return isInUse ? "CannotDeleteFileOrDirectory" : checkRestUse(use, handles);
    }
    const refusal = checkRestUse(use, handles);
    if (refusal !== undefined || use === "look" || use === "lease")
        return refusal;
    if (use === "read") {
        return range === undefined || mayRead(locks, range, undefined) ? undefined : "FileLockConflict";
    }
    return mayRestWrite(locks) ? undefined : "FileLockConflict";
}
/** Handles and locks of a node, in one snapshot of the ephemeral space. */
export async function readOpens(read, share, node) {
    const handles = [];
    for await (const { key, value } of read.range(handlesOfNode(share, node))) {
        const { access, share: shared } = handleRecord.unpack(value);
        handles.push({ access, share: shared, handle: readHandleKey(key).handle });
    }
    const locks = [];
    if (handles.length > 0) {
        for await (const { key, value } of read.range(locksOfNode(share, node))) {
            const { handle } = readHandleKey(key);
            for (const lock of locksRecord.unpack(value).locks)
                locks.push({ ...lock, handle });
        }
    }
    return { handles, locks };
}
