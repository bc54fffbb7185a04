import { success } from "../request.js";
import { refuse, STATUS } from "../status.js";
import { ACCESS } from "../wire/create.js";
import { flushRequest } from "../wire/file-io.js";
import { emptyBody } from "../wire/session-setup.js";
/** Durable when answered. */
export async function flush(request) {
    const open = request.open(flushRequest.decode(request.pdu).fileId);
    if (open.file === undefined)
        return success(emptyBody.encode({}));
    if ((open.access & (ACCESS.WRITE_DATA | ACCESS.APPEND_DATA)) === 0)
        throw refuse(STATUS.ACCESS_DENIED);
    if (open.file.kind === "file")
        await open.file.flush();
    return success(emptyBody.encode({}));
}
