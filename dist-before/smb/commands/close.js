import { closeOpen } from "../end-open.js";
import { success } from "../request.js";
import { CLOSE_POSTQUERY_ATTRIB, closeRequest, closeResponse } from "../wire/file-io.js";
export async function close(request) {
    const { flags, fileId } = closeRequest.decode(request.pdu);
    const open = request.open(fileId);
    const { session } = open;
    const wantsInfo = (flags & CLOSE_POSTQUERY_ATTRIB) !== 0 && open.file !== undefined;
    const info = wantsInfo ? await open.file.info() : undefined;
    if (session.opens.delete(open.fileId.volatile)) {
        session.connection.openCount--;
        await closeOpen(request.connection.server, open);
    }
    return success(closeResponse.encode(info === undefined ? NOTHING : { flags, ...timesAndSizes(info) }));
}
export function timesAndSizes(info) {
    return {
        creationTime: info.createdAt,
        lastAccessTime: info.accessedAt,
        lastWriteTime: info.writtenAt,
        changeTime: info.changedAt,
        allocationSize: BigInt(info.allocationSize),
        endOfFile: BigInt(info.size),
        attributes: info.attributes,
    };
}
const NOTHING = {
    flags: 0,
    creationTime: 0n,
    lastAccessTime: 0n,
    lastWriteTime: 0n,
    changeTime: 0n,
    allocationSize: 0n,
    endOfFile: 0n,
    attributes: 0,
};
