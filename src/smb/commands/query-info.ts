import { parseSddl } from "../../services/file/security/sddl.ts";
import {
  encodeSecurityDescriptor,
  mergeSecurityParts,
  NO_SECURITY,
  SECURITY_PART,
} from "../../services/file/security/security-descriptor.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { Open } from "../session/open.ts";
import type { Reply, Request } from "../transport/request.ts";
import { ACCESS } from "../wire/create.ts";
import { encodeOutputHead } from "../wire/directory.ts";
import { FILE_CLASS } from "../wire/file-information.ts";
import { INFO_TYPE, queryInfoRequest } from "../wire/info.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { fileInformation, pipeInformation } from "./file-classes.ts";
import { queryEas } from "./query-eas.ts";
import { need } from "./rights.ts";
import { volumeInformation } from "./volume-classes.ts";

/** The data of an information class, and how many bytes of it a buffer must hold. */
export interface InfoAnswer {
  readonly data: Buffer;
  readonly fixedBytes: number;
}

export async function queryInfo(request: Request): Promise<Reply> {
  const body = queryInfoRequest.decode(request.pdu);
  const open = request.open(body.fileId);
  if (body.outputBufferLength > SMB_LIMITS.transactBytesMax) throw refuse(STATUS.INVALID_PARAMETER);
  request.checkCharge(Math.max(body.outputBufferLength, body.input.length));
  if (open.file === undefined) {
    if (body.infoType !== INFO_TYPE.FILE) throw refuse(STATUS.NOT_SUPPORTED);
    return fitted(pipeInformation(body.informationClass), body.outputBufferLength);
  }
  switch (body.infoType) {
    case INFO_TYPE.FILE:
      if (body.informationClass === FILE_CLASS.FULL_EA) return await queryEas(open, body);
      return fitted(await fileInformation(request, open, body.informationClass), body.outputBufferLength);
    case INFO_TYPE.FILESYSTEM:
      return fitted(
        await volumeInformation(request.context, open.tree.share!, body.informationClass),
        body.outputBufferLength,
      );
    case INFO_TYPE.SECURITY:
      return await querySecurity(open, body.additionalInformation, body.outputBufferLength);
    case INFO_TYPE.QUOTA:
      throw refuse(STATUS.NOT_SUPPORTED);
    default:
      throw refuse(STATUS.INVALID_PARAMETER);
  }
}

/** Refuses a buffer too small for the fixed part. One too small for the name gets the start and a warning. */
function fitted({ data, fixedBytes }: InfoAnswer, bytesMax: number): Reply {
  if (bytesMax < fixedBytes) throw refuse(STATUS.INFO_LENGTH_MISMATCH);
  const isCut = data.length > bytesMax;
  const output = isCut ? data.subarray(0, bytesMax) : data;
  return {
    status: isCut ? STATUS.BUFFER_OVERFLOW : STATUS.SUCCESS,
    body: encodeOutputHead(output.length),
    payload: [output],
  };
}

const READ_PARTS = SECURITY_PART.OWNER | SECURITY_PART.GROUP | SECURITY_PART.DACL;

async function querySecurity(open: Open, parts: number, bytesMax: number): Promise<Reply> {
  if ((parts & SECURITY_PART.SACL) !== 0) need(open, ACCESS.SYSTEM_SECURITY);
  if ((parts & READ_PARTS) !== 0) need(open, ACCESS.READ_CONTROL);
  const whole = parseSddl(await open.file.security());
  const data = encodeSecurityDescriptor(mergeSecurityParts(NO_SECURITY, whole, parts));
  if (data.length > bytesMax) {
    const needed = Buffer.alloc(4);
    needed.writeUInt32LE(data.length);
    throw refuse(STATUS.BUFFER_TOO_SMALL, needed);
  }
  return { status: STATUS.SUCCESS, body: encodeOutputHead(data.length), payload: [data] };
}
