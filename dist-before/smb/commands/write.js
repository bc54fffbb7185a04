import { SMB_LIMITS } from "../../base/limits-smb.js";
import { success } from "../request.js";
import { refuse, STATUS } from "../status.js";
import { ACCESS, CREATE_OPTION } from "../wire/create.js";
import { NOTIFY_ACTION, NOTIFY_FILTER } from "../wire/directory.js";
import { WRITE_FLAG, writeRequest, writeResponse } from "../wire/file-io.js";
import { OFFSET_MAX } from "./read.js";
import { breakForWrite } from "./rights.js";
/** Answered when the bytes are taken; with write-through when they are on the disk. */
export async function write(request) {
    const { fileId, offset, data, flags } = writeRequest.decode(request.pdu);
    const open = request.open(fileId);
    if (data.length > SMB_LIMITS.writeBytesMax)
        throw refuse(STATUS.INVALID_PARAMETER);
    request.checkCharge(data.length);
    if (open.file === undefined) {
        open.pipe.write(data);
        return success(writeResponse.encode({ count: data.length, remaining: 0 }));
    }
    if (open.file.kind === "directory")
        throw refuse(STATUS.ACCESS_DENIED);
    checkWritable(open);
    if (offset + BigInt(data.length) > OFFSET_MAX)
        throw refuse(STATUS.INVALID_PARAMETER);
    if (offset + BigInt(data.length) > BigInt(SMB_LIMITS.fileBytesMax))
        throw refuse(STATUS.DISK_FULL);
    if (data.length > 0) {
        await breakForWrite(request, open);
        const isDurable = (flags & WRITE_FLAG.WRITE_THROUGH) !== 0 || (open.createOptions & CREATE_OPTION.WRITE_THROUGH) !== 0;
        await open.file.write(Number(offset), data, isDurable);
        open.hasWritten = true;
        open.position = offset + BigInt(data.length);
        request.connection.server.changes.tell(open.tree.share.id, [
            {
                path: open.path,
                action: NOTIFY_ACTION.MODIFIED,
                filter: NOTIFY_FILTER.SIZE | NOTIFY_FILTER.LAST_WRITE,
            },
        ]);
    }
    return success(writeResponse.encode({ count: data.length, remaining: 0 }));
}
function checkWritable(open) {
    if ((open.access & (ACCESS.WRITE_DATA | ACCESS.APPEND_DATA)) === 0)
        throw refuse(STATUS.ACCESS_DENIED);
}
