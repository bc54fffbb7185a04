import { SMB_LIMITS } from "../../base/limits-smb.js";
import { refuse, STATUS } from "../status.js";
import { ACCESS } from "../wire/create.js";
import { encodeOutputHead } from "../wire/directory.js";
import { INFO_TYPE, queryInfoRequest } from "../wire/info.js";
import { parseSddl } from "../wire/sddl.js";
import { encodeSecurityDescriptor, mergeSecurityParts, NO_SECURITY, SECURITY_PART, } from "../wire/security-descriptor.js";
import { fileInformation, pipeInformation } from "./file-classes.js";
import { need } from "./rights.js";
import { volumeInformation } from "./volume-classes.js";
export async function queryInfo(request) {
    const body = queryInfoRequest.decode(request.pdu);
    const open = request.open(body.fileId);
    if (body.outputBufferLength > SMB_LIMITS.transactBytesMax)
        throw refuse(STATUS.INVALID_PARAMETER);
    request.checkCharge(Math.max(body.outputBufferLength, body.input.length));
    if (open.file === undefined) {
        if (body.infoType !== INFO_TYPE.FILE)
            throw refuse(STATUS.NOT_SUPPORTED);
        return fitted(pipeInformation(body.informationClass), body.outputBufferLength);
    }
    switch (body.infoType) {
        case INFO_TYPE.FILE:
            return fitted(await fileInformation(request, open, body.informationClass), body.outputBufferLength);
        case INFO_TYPE.FILESYSTEM:
            return fitted(await volumeInformation(open.tree.share, body.informationClass), body.outputBufferLength);
        case INFO_TYPE.SECURITY:
            return await querySecurity(open, body.additionalInformation, body.outputBufferLength);
        case INFO_TYPE.QUOTA:
            throw refuse(STATUS.NOT_SUPPORTED);
        default:
            throw refuse(STATUS.INVALID_PARAMETER);
    }
}
/** Too small for the fixed part is refused; too small for the name that follows cuts it, with a warning. */
function fitted({ data, fixedBytes }, bytesMax) {
    if (bytesMax < fixedBytes)
        throw refuse(STATUS.INFO_LENGTH_MISMATCH);
    const isCut = data.length > bytesMax;
    const output = isCut ? data.subarray(0, bytesMax) : data;
    return {
        status: isCut ? STATUS.BUFFER_OVERFLOW : STATUS.SUCCESS,
        body: encodeOutputHead(output.length),
        payload: [output],
    };
}
const READ_PARTS = SECURITY_PART.OWNER | SECURITY_PART.GROUP | SECURITY_PART.DACL;
async function querySecurity(open, parts, bytesMax) {
    if ((parts & SECURITY_PART.SACL) !== 0)
        need(open, ACCESS.SYSTEM_SECURITY);
    if ((parts & READ_PARTS) !== 0)
        need(open, ACCESS.READ_CONTROL);
    const whole = parseSddl(await open.file.security());
    const data = encodeSecurityDescriptor(mergeSecurityParts(NO_SECURITY, whole, parts));
    if (data.length > bytesMax) {
        const needed = Buffer.alloc(4);
        needed.writeUInt32LE(data.length);
        throw refuse(STATUS.BUFFER_TOO_SMALL, needed);
    }
    return { status: STATUS.SUCCESS, body: encodeOutputHead(data.length), payload: [data] };
}
