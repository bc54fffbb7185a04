import { readSnapshotTimes } from "../../services/file/opens/share-queries.ts";
import { SMB_LIMITS } from "../limits.ts";
import { inodeNumber, readInfo } from "../session/file-info.ts";
import type { Open } from "../session/open.ts";
import type { Connection } from "../transport/connection.ts";
import type { Reply, Request } from "../transport/request.ts";
import { withStatus } from "../transport/statuses.ts";
import { ACCESS, ATTRIBUTE } from "../wire/create.ts";
import { fileTimeOfTicks, printGmtToken } from "../wire/filetime.ts";
import {
  allocatedRange,
  decodeValidateNegotiate,
  FSCTL,
  IOCTL_IS_FSCTL,
  ioctlRequest,
  ioctlResponse,
  validateNegotiateResponse,
  zeroDataInput,
} from "../wire/ioctl.ts";
import { type Decoded, isNoFile } from "../wire/layout.ts";
import { DIALECT } from "../wire/negotiate.ts";
import { encodeNetworkInterface } from "../wire/network-interface.ts";
import { protocolError, refuse, STATUS } from "../wire/status.ts";
import { utf16 } from "../wire/text.ts";
import { copyChunk, resumeKey } from "./copy-chunk.ts";
import { bestDialect, securityModeOf } from "./negotiate.ts";
import { breakForWrite, need, notifyWritten } from "./rights.ts";

type Ioctl = Decoded<typeof ioctlRequest>;

export interface IoctlAnswer {
  readonly output: Buffer;
  readonly status?: number;
}

/** A guess: clients compare speeds between addresses, and there is only one. */
const LINK_SPEED = 10_000_000_000n;
const NOTHING: IoctlAnswer = { output: Buffer.alloc(0) };

export async function ioctl(request: Request): Promise<Reply> {
  const body = ioctlRequest.decode(request.pdu);
  if (body.flags !== IOCTL_IS_FSCTL) throw refuse(STATUS.NOT_SUPPORTED);
  const outputBytes = body.maxInputResponse + body.maxOutputResponse;
  if (body.maxOutputResponse > SMB_LIMITS.transactBytesMax) throw refuse(STATUS.INVALID_PARAMETER);
  request.checkCharge(Math.max(body.input.length + body.output.length, outputBytes));
  const { output, status = STATUS.SUCCESS } = await answer(request, body);
  if (output.length > body.maxOutputResponse) throw refuse(STATUS.BUFFER_TOO_SMALL);
  const { ctlCode, fileId } = body;
  const reply = ioctlResponse.encode({ ctlCode, fileId, flags: 0, input: NOTHING.output, output });
  return { status, body: reply };
}

async function answer(request: Request, body: Ioctl): Promise<IoctlAnswer> {
  switch (body.ctlCode) {
    case FSCTL.VALIDATE_NEGOTIATE_INFO:
      return validateNegotiate(request, body);
    case FSCTL.DFS_GET_REFERRALS:
    case FSCTL.DFS_GET_REFERRALS_EX:
      throw refuse(STATUS.NOT_FOUND);
    case FSCTL.QUERY_NETWORK_INTERFACE_INFO:
      if (!isNoFile(body.fileId)) throw refuse(STATUS.INVALID_PARAMETER);
      return { output: networkInterface(request.connection) };
    case FSCTL.PIPE_TRANSCEIVE: {
      const { pipe } = request.open(body.fileId);
      if (pipe === undefined) throw refuse(STATUS.INVALID_DEVICE_REQUEST);
      await pipe.call(body.input);
      const { data, isMore } = pipe.read(body.maxOutputResponse);
      return { output: data, status: isMore ? STATUS.BUFFER_OVERFLOW : STATUS.SUCCESS };
    }
    default:
      return onFile(request, request.file(body.fileId, STATUS.NOT_SUPPORTED), body);
  }
}

/** Clients bind more connections to the address that they have reached. */
function networkInterface({ localAddress }: Connection): Buffer {
  return encodeNetworkInterface({ index: 1, linkSpeed: LINK_SPEED, address: localAddress });
}

async function onFile(request: Request, open: Open, body: Ioctl): Promise<IoctlAnswer> {
  switch (body.ctlCode) {
    case FSCTL.SRV_REQUEST_RESUME_KEY:
      return resumeKey(open, body.maxOutputResponse);
    case FSCTL.SRV_COPYCHUNK:
    case FSCTL.SRV_COPYCHUNK_WRITE:
      return copyChunk(request, open, body);
    case FSCTL.SRV_ENUMERATE_SNAPSHOTS:
      return snapshots(request, open, body.maxOutputResponse);
    case FSCTL.SET_ZERO_DATA: {
      const { fileOffset, beyondFinalZero } = zeroDataInput.decode(body.input);
      if (open.file.kind === "directory" || fileOffset > beyondFinalZero || beyondFinalZero >= 2n ** 63n)
        throw refuse(STATUS.INVALID_PARAMETER);
      need(open, ACCESS.WRITE_DATA);
      await breakForWrite(request, open);
      await open.file.zero({ from: Number(fileOffset), to: Number(beyondFinalZero) });
      notifyWritten(request, open);
      return NOTHING;
    }
    case FSCTL.SET_SPARSE:
      return setSparse(open, body.input);
    case FSCTL.QUERY_ALLOCATED_RANGES:
      return allocatedRanges(open, body);
    case FSCTL.GET_COMPRESSION:
      return { output: Buffer.alloc(2) };
    case FSCTL.SET_COMPRESSION:
      if (body.input.length >= 2 && body.input.readUInt16LE(0) !== 0) throw refuse(STATUS.NOT_SUPPORTED);
      return NOTHING;
    case FSCTL.GET_REPARSE_POINT:
    case FSCTL.DELETE_REPARSE_POINT:
      throw refuse(STATUS.NOT_A_REPARSE_POINT);
    case FSCTL.CREATE_OR_GET_OBJECT_ID: {
      const output = Buffer.alloc(64);
      output.writeBigUInt64LE(inodeNumber(open.file, open.file.base ?? open.file.inode), 0);
      output.writeBigUInt64LE(open.file.share, 8);
      return { output };
    }
    default:
      throw refuse(STATUS.INVALID_DEVICE_REQUEST);
  }
}

/** The client repeats its NEGOTIATE: an attacker may have changed it on the way, to weaken the connection. */
function validateNegotiate({ connection, context }: Request, body: Ioctl): IoctlAnswer {
  const repeated = decodeValidateNegotiate(body.input);
  const isSame =
    connection.dialect !== DIALECT.SMB_3_1_1 &&
    repeated.guid.equals(connection.clientGuid) &&
    repeated.capabilities === connection.clientCapabilities &&
    repeated.securityMode === connection.clientSecurityMode &&
    bestDialect(repeated.dialects) === connection.dialect;
  if (!isSame) throw protocolError("NEGOTIATE was changed on its way");
  if (body.maxOutputResponse < validateNegotiateResponse.bytes)
    throw protocolError("the buffer is too small for VALIDATE_NEGOTIATE_INFO");
  return {
    output: validateNegotiateResponse.encode({
      capabilities: connection.capabilities,
      guid: context.guid,
      securityMode: securityModeOf(context),
      dialect: connection.dialect,
    }),
  };
}

async function setSparse(open: Open, input: Buffer): Promise<IoctlAnswer> {
  if (open.file.kind === "directory") throw refuse(STATUS.INVALID_PARAMETER);
  if ((open.access & (ACCESS.WRITE_DATA | ACCESS.WRITE_ATTRIBUTES | ACCESS.APPEND_DATA)) === 0)
    throw refuse(STATUS.ACCESS_DENIED);
  const isSparse = input.length === 0 || input[0] !== 0;
  const { attributes } = await readInfo(open.file);
  const changed = isSparse ? attributes | ATTRIBUTE.SPARSE : attributes & ~ATTRIBUTE.SPARSE;
  await open.file.change({ attributes: changed === 0 ? ATTRIBUTE.NORMAL : changed });
  return NOTHING;
}

async function allocatedRanges(open: Open, body: Ioctl): Promise<IoctlAnswer> {
  const { offset, length } = allocatedRange.decode(body.input);
  if (open.file.kind === "directory" || offset + length >= 2n ** 63n) throw refuse(STATUS.INVALID_PARAMETER);
  need(open, ACCESS.READ_DATA);
  const ranges = await open.file.allocatedRanges({ from: Number(offset), to: Number(offset + length) });
  const fits = Math.floor(body.maxOutputResponse / allocatedRange.bytes);
  if (ranges.length > 0 && fits === 0) throw refuse(STATUS.BUFFER_TOO_SMALL);
  const output = Buffer.concat(
    ranges
      .slice(0, fits)
      .map(({ from, to }) => allocatedRange.encode({ offset: BigInt(from), length: BigInt(to - from) })),
  );
  return { output, status: ranges.length > fits ? STATUS.BUFFER_OVERFLOW : STATUS.SUCCESS };
}

/** Names of the share's snapshots, newest first. In a buffer that is too small: only their size. */
async function snapshots({ context }: Request, open: Open, bytesMax: number): Promise<IoctlAnswer> {
  if (bytesMax < 16) throw refuse(STATUS.INVALID_PARAMETER);
  const times = await withStatus(readSnapshotTimes(context.files, open.tree.share!.ref));
  const names = times.map((ticks) => `${printGmtToken(fileTimeOfTicks(ticks))}\0`).reverse();
  const list = utf16(`${names.join("")}\0`);
  const head = Buffer.alloc(12);
  head.writeUInt32LE(names.length, 0);
  head.writeUInt32LE(list.length, 8);
  if (12 + list.length > bytesMax) return { output: Buffer.concat([head, Buffer.alloc(4)]) };
  head.writeUInt32LE(names.length, 4);
  return { output: Buffer.concat([head, names.length === 0 ? Buffer.alloc(4) : list]) };
}
