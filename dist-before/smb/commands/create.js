import { SMB_LIMITS } from "../../base/limits-smb.js";
import { Refusal } from "../../base/refusals.js";
import { HANDLE_CACHE, NO_CACHE } from "../../concurrency/cache-lease.js";
import { parsePath } from "../path.js";
import { refuse, STATUS, StatusError } from "../status.js";
import { ACCESS, CREATE_ACTION, CREATE_OPTION, createRequest, DISPOSITION, SHARE_ACCESS, } from "../wire/create.js";
import { readCreateContexts } from "../wire/create-contexts.js";
import { NOTIFY_ACTION, NOTIFY_FILTER } from "../wire/directory.js";
import { OPLOCK } from "../wire/oplock-break.js";
import { printSddl } from "../wire/sddl.js";
import { decodeSecurityDescriptor } from "../wire/security-descriptor.js";
import { textOf } from "../wire/text.js";
import { checkCreate, kindWanted } from "./create-checks.js";
import { createReply, durabilityFor } from "./create-reply.js";
import { openPipe } from "./open-pipe.js";
import { cacheOfLevel } from "./oplock-break.js";
import { reconnect } from "./reconnect.js";
import { isLeaseStatAccess, isStatAccess, wantedRights } from "./rights.js";
export async function create(request) {
    const body = createRequest.decode(request.pdu);
    const { connection, tree } = request;
    request.chain.fileId = undefined;
    if (connection.openCount >= SMB_LIMITS.opensPerConnectionMax)
        throw refuse(STATUS.TOO_MANY_OPENED_FILES);
    const { share } = tree;
    if (share === undefined)
        return openPipe(request, textOf(body.name));
    const contexts = readCreateContexts(body.contexts);
    const again = await reconnect(request, textOf(body.name), contexts);
    if (again !== undefined)
        return again;
    checkCreate(body);
    if (contexts.hasExtendedAttributes)
        throw refuse(STATUS.EAS_NOT_SUPPORTED);
    const wanted = {
        body,
        contexts,
        share,
        path: parsePath(textOf(body.name)),
        rights: wantedRights(body.desiredAccess),
        lease: leaseOf(request, body, contexts),
    };
    const opened = await openWhenFree(request, wanted);
    return keep(request, wanted, opened);
}
function leaseOf(request, body, { lease }) {
    if (body.requestedOplockLevel !== OPLOCK.LEASE || lease === undefined)
        return undefined;
    const { version, key, parentKey } = lease;
    const client = request.connection.clientGuid;
    return { client, key: Buffer.from(key), version, parentKey: Buffer.from(parentKey) };
}
/** Opens, after the caches that stand in the way have been given up. */
async function openWhenFree(request, wanted) {
    for (let isHandleAsked = false;;) {
        await breakForOpen(request, wanted);
        try {
            return await wanted.share.open(openRequest(request, wanted));
        }
        catch (error) {
            if (isHandleAsked || !isSharingViolation(error))
                throw error;
            // The application may have closed the file, and only the client's cache still has it open.
            isHandleAsked = true;
            const node = await nodeOf(request, wanted);
            const wait = node && request.connection.server.nodes.resolve(node, "sharing", exceptOwn(wanted));
            if (wait === undefined)
                throw error;
            await request.wait(wait, () => { });
        }
    }
}
function isSharingViolation(error) {
    const status = error instanceof StatusError ? error.status : error instanceof Refusal ? error.row.smb : undefined;
    return status === STATUS.SHARING_VIOLATION;
}
const exceptOwn = ({ lease: own }) => ({ lease }) => {
    if (own === undefined || lease === undefined)
        return false;
    return lease.key.equals(own.key) && lease.client.equals(own.client);
};
/** Whether the share modes of what SMB clients have open keep a new open out. The file system has the last word. */
function isExcluded({ opens }, access, share) {
    const wanted = { access: usesOf(access), share };
    return [...opens].some((open) => {
        const present = { access: usesOf(open.access), share: open.shareAccess };
        if (wanted.access === 0 || present.access === 0)
            return false;
        return (wanted.access & ~present.share) !== 0 || (present.access & ~wanted.share) !== 0;
    });
}
/** Rights as the bits of share modes: read, write, delete. */
function usesOf(access) {
    return (((access & (ACCESS.READ_DATA | ACCESS.EXECUTE)) === 0 ? 0 : SHARE_ACCESS.READ) |
        ((access & (ACCESS.WRITE_DATA | ACCESS.APPEND_DATA)) === 0 ? 0 : SHARE_ACCESS.WRITE) |
        ((access & ACCESS.DELETE) === 0 ? 0 : SHARE_ACCESS.DELETE));
}
const OVERWRITE_ACCESS = ACCESS.WRITE_DATA;
const OVERWRITING = [
    DISPOSITION.SUPERSEDE,
    DISPOSITION.OVERWRITE,
    DISPOSITION.OVERWRITE_IF,
];
async function breakForOpen(request, wanted) {
    const { nodes } = request.connection.server;
    const node = await nodeOf(request, wanted);
    if (wanted.lease !== undefined)
        nodes.checkLease(wanted.lease, node);
    if (node === undefined || node.caches.size === 0)
        return;
    const { rights, body } = wanted;
    const isOverwriting = OVERWRITING.includes(body.createDisposition);
    const access = rights.access | rights.optionalAccess;
    const isOwn = exceptOwn(wanted);
    const isStat = (entry) => !isOverwriting && (entry.lease === undefined ? isStatAccess(access) : isLeaseStatAccess(access));
    // An open that will be refused takes nobody's writes away: only a handle that is merely kept could make room.
    const overwritten = isOverwriting ? OVERWRITE_ACCESS : 0;
    const isKeptOut = isExcluded(node, access | overwritten, body.shareAccess);
    const conflict = isKeptOut ? "sharing" : isOverwriting ? "overwrite" : "open";
    const wait = nodes.resolve(node, conflict, (entry) => isOwn(entry) || isStat(entry));
    if (wait !== undefined)
        await request.wait(wait, () => { });
}
/** What others have open at the path; nobody asks the file system while nobody has anything open. */
async function nodeOf(request, { share, path }) {
    const { nodes } = request.connection.server;
    if (nodes.size === 0 || path.snapshot !== undefined)
        return undefined;
    try {
        const found = await share.find(path.names);
        return found === undefined ? undefined : nodes.find(share.id, found.node);
    }
    catch (error) {
        // A missing directory is found again, and answered, by the open itself.
        if (error instanceof StatusError || error instanceof Refusal)
            return undefined;
        throw error;
    }
}
function openRequest(request, { body, contexts, path, rights }) {
    const session = request.user;
    const security = contexts.securityDescriptor;
    return {
        path: path.names,
        snapshot: path.snapshot ?? contexts.snapshot,
        ...rights,
        share: body.shareAccess,
        disposition: body.createDisposition,
        kind: kindWanted(body.createOptions),
        isDeleteOnClose: (body.createOptions & CREATE_OPTION.DELETE_ON_CLOSE) !== 0,
        attributes: body.fileAttributes,
        allocationSize: contexts.allocationSize === undefined ? undefined : Number(contexts.allocationSize),
        security: security === undefined ? undefined : printSddl(decodeSecurityDescriptor(security)),
        client: { session: session.id, address: session.connection.address, name: session.workstation },
    };
}
async function keep(request, wanted, opened) {
    const session = request.user;
    const { server } = request.connection;
    const { body, contexts, path, share, lease } = wanted;
    const id = server.nextOpenId();
    const open = {
        fileId: { persistent: id, volatile: id },
        tree: request.tree,
        session,
        pipe: undefined,
        file: opened.handle,
        path: path.names,
        access: opened.access,
        shareAccess: body.shareAccess,
        createOptions: body.createOptions,
        isDeleteOnClose: (body.createOptions & CREATE_OPTION.DELETE_ON_CLOSE) !== 0,
        position: 0n,
        mode: body.createOptions & 0x103e,
        scan: undefined,
        scanning: Promise.resolve(),
        watch: undefined,
        cache: undefined,
        durability: undefined,
        lockSequences: new Map(),
        lockCount: 0,
        blockedLocks: new Set(),
        hasWritten: false,
    };
    if (session.state !== "valid" || !session.trees.has(open.tree.id)) {
        // The session ended while the file was being opened.
        await opened.handle.close();
        throw refuse(STATUS.USER_SESSION_DELETED);
    }
    session.opens.set(id, open);
    request.connection.openCount++;
    request.chain.fileId = open.fileId;
    const node = server.nodes.add(share.id, open);
    if (opened.info.kind === "file") {
        const isLease = body.requestedOplockLevel === OPLOCK.LEASE;
        const state = isLease
            ? lease === undefined
                ? NO_CACHE
                : contexts.lease.state
            : cacheOfLevel(body.requestedOplockLevel);
        const isStat = isLease ? isLeaseStatAccess : isStatAccess;
        // Who only looks at a file that was there gets no oplock: nothing it could do would need one.
        const isLooking = isStatAccess(open.access) && opened.action === CREATE_ACTION.OPENED;
        const wish = !isLease && isLooking ? NO_CACHE : (state ?? NO_CACHE);
        if (wish !== NO_CACHE || lease !== undefined) {
            open.cache = server.nodes.grant(node, open, { wanted: wish, lease, isStat });
            if (open.cache !== undefined && lease?.version === 2 && open.cache.epoch === 0)
                open.cache.epoch = (contexts.lease.epoch + 1) & 0xffff;
        }
        if (open.cache !== undefined && (open.cache.state & HANDLE_CACHE) !== 0)
            open.durability = durabilityFor(contexts);
    }
    tell(request, open, opened.action);
    return createReply(open, opened, contexts);
}
function tell(request, open, action) {
    const { changes } = request.connection.server;
    const share = open.tree.share.id;
    const { path } = open;
    if (action === CREATE_ACTION.CREATED) {
        const filter = open.file.kind === "directory" ? NOTIFY_FILTER.DIR_NAME : NOTIFY_FILTER.FILE_NAME;
        changes.tell(share, [{ path, action: NOTIFY_ACTION.ADDED, filter }]);
    }
    else if (action !== CREATE_ACTION.OPENED) {
        const filter = NOTIFY_FILTER.ATTRIBUTES | NOTIFY_FILTER.SIZE | NOTIFY_FILTER.LAST_WRITE;
        changes.tell(share, [{ path, action: NOTIFY_ACTION.MODIFIED, filter }]);
    }
}
