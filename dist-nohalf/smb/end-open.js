import { STATUS } from "./status.js";
import { NOTIFY_ACTION, NOTIFY_FILTER } from "./wire/directory.js";
/** Ends an open that no session names any more: its locks, its share mode, its cache, what waits on it. */
export async function closeOpen(server, open) {
    if (open.file === undefined)
        return;
    for (const end of [...open.blockedLocks])
        end(STATUS.RANGE_NOT_LOCKED);
    endWatch(server, open, STATUS.NOTIFY_CLEANUP);
    // Whoever watches a directory that is going learns it now, not when the last handle has closed.
    if (open.isDeleteOnClose && open.file.kind === "directory")
        server.changes.removed(open.tree.share.id, open.path);
    try {
        const isRemoved = await open.file.close();
        if (isRemoved)
            tellRemoved(server, open);
    }
    catch (error) {
        server.log.error({ err: error }, "an SMB handle did not close");
    }
    finally {
        server.nodes.remove(open.tree.share.id, open);
    }
}
function endWatch(server, open, status) {
    if (open.watch === undefined)
        return;
    server.changes.remove(open.tree.share.id, open.watch);
    open.watch.end(status);
    open.watch = undefined;
}
function tellRemoved(server, open) {
    const share = open.tree.share.id;
    const isDirectory = open.file.kind === "directory";
    if (isDirectory)
        server.changes.removed(share, open.path);
    const filter = isDirectory ? NOTIFY_FILTER.DIR_NAME : NOTIFY_FILTER.FILE_NAME;
    server.changes.tell(share, [{ path: open.path, action: NOTIFY_ACTION.REMOVED, filter }]);
}
