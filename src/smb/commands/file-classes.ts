import type { InodeRecord } from "../../services/file/records.ts";
import type { StreamList } from "../../services/file/streams.ts";
import { allocationOf, type FileInfo, readInfo } from "../session/file-info.ts";
import type { Open } from "../session/open.ts";
import { shownInfo } from "../session/write-times.ts";
import type { Request } from "../transport/request.ts";
import { ACCESS } from "../wire/create.ts";
import {
  attributeTagInformation,
  basicInformation,
  compressionInformation,
  encodeNameInformation,
  encodeStreamInformation,
  FILE_CLASS,
  networkOpenInformation,
  type StreamInformation,
  standardInformation,
  wholeInformation,
  wordInformation,
} from "../wire/file-information.ts";
import { DIALECT } from "../wire/negotiate.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { nameOf } from "../wire/stream-names.ts";
import { timesAndSizes } from "./close.ts";
import type { InfoAnswer } from "./query-info.ts";
import { need } from "./rights.ts";

const whole = (value: bigint): Buffer => wholeInformation.encode({ value });
const word = (value: number): Buffer => wordInformation.encode({ value });
const exactly = (data: Buffer): InfoAnswer => ({ data, fixedBytes: data.length });
/** A buffer must hold the length and the first two characters. */
const named = (data: Buffer): InfoAnswer => ({ data, fixedBytes: 8 });

const EMPTY = Buffer.alloc(0);
const ALL_FIXED_BYTES = 104;

const needAttributes = (open: Open): void => need(open, ACCESS.READ_ATTRIBUTES);

export async function fileInformation(
  request: Request,
  open: Open,
  informationClass: number,
): Promise<InfoAnswer> {
  switch (informationClass) {
    case FILE_CLASS.ALIGNMENT:
      return exactly(word(0));
    case FILE_CLASS.ACCESS:
      return exactly(word(open.access));
    case FILE_CLASS.NAME:
      return named(encodeNameInformation(shownPath(open)));
    case FILE_CLASS.POSITION:
      return exactly(whole(open.position));
    case FILE_CLASS.MODE:
      return exactly(word(open.mode));
    case FILE_CLASS.ALTERNATE_NAME:
      // There are no short names. smbclient's allinfo ends at a refusal, so the reply has the long name.
      return named(encodeNameInformation(open.path.at(-1) ?? "\\"));
    case FILE_CLASS.HARD_LINK:
      throw refuse(STATUS.NOT_SUPPORTED);
    case FILE_CLASS.NORMALIZED_NAME:
      if (request.connection.dialect < DIALECT.SMB_3_1_1) throw refuse(STATUS.NOT_SUPPORTED);
      return named(encodeNameInformation(nameOf(open)));
    case FILE_CLASS.STREAM:
      return streams(request, open);
    default:
      return fromInfo(open, informationClass, shownInfo(open, await readInfo(open.file)));
  }
}

function fromInfo(open: Open, informationClass: number, info: FileInfo): InfoAnswer {
  switch (informationClass) {
    case FILE_CLASS.BASIC:
      needAttributes(open);
      return exactly(basicInformation.encode(timesAndSizes(info)));
    case FILE_CLASS.STANDARD:
      return exactly(standard(info));
    case FILE_CLASS.EA:
      return exactly(word(info.eaSize));
    case FILE_CLASS.INTERNAL:
      return exactly(whole(info.inode));
    case FILE_CLASS.ALL:
      needAttributes(open);
      return { data: all(open, info), fixedBytes: ALL_FIXED_BYTES };
    case FILE_CLASS.COMPRESSION:
      return exactly(compressionInformation.encode({ size: BigInt(info.size) }));
    case FILE_CLASS.NETWORK_OPEN:
      needAttributes(open);
      return exactly(networkOpenInformation.encode(timesAndSizes(info)));
    case FILE_CLASS.ATTRIBUTE_TAG:
      needAttributes(open);
      return exactly(attributeTagInformation.encode({ attributes: info.attributes, reparseTag: 0 }));
    case FILE_CLASS.ID:
      return exactly(Buffer.concat([whole(open.file.share), whole(info.inode), whole(0n)]));
    default:
      throw refuse(STATUS.INVALID_INFO_CLASS);
  }
}

const shownPath = (open: Open): string => `\\${nameOf(open)}`;

/** The content of a file under an empty name, and the named streams where the share has any. */
async function streams({ context }: Request, { file }: Open): Promise<InfoAnswer> {
  const list = context.hasStreams ? namedStreams(await file.streams()) : contentOf(await readInfo(file));
  return list.length === 0 ? exactly(EMPTY) : { data: encodeStreamInformation(list), fixedBytes: 32 };
}

function namedStreams({ base, named }: StreamList): readonly StreamInformation[] {
  const streamOf = (name: string, { size }: InodeRecord) => ({
    name,
    size,
    allocationSize: allocationOf(size),
  });
  const content = base.record.kind === "file" ? [streamOf("", base.record)] : [];
  return [...content, ...named.map(({ name, inode }) => streamOf(name, inode.record))];
}

function contentOf({ kind, size, allocationSize }: FileInfo): readonly StreamInformation[] {
  return kind === "directory" ? [] : [{ name: "", size, allocationSize }];
}

function standard(info: FileInfo): Buffer {
  return standardInformation.encode({
    allocationSize: BigInt(info.allocationSize),
    endOfFile: BigInt(info.size),
    numberOfLinks: info.isDeletePending ? 0 : 1,
    deletePending: info.isDeletePending ? 1 : 0,
    directory: info.kind === "directory" ? 1 : 0,
  });
}

function all(open: Open, info: FileInfo): Buffer {
  return Buffer.concat([
    basicInformation.encode(timesAndSizes(info)),
    standard(info),
    whole(info.inode),
    word(info.eaSize),
    word(open.access),
    whole(open.position),
    word(open.mode),
    word(0),
    encodeNameInformation(shownPath(open)),
  ]);
}

/** Some clients ask a pipe for its standard information before they use it. */
export function pipeInformation(informationClass: number): InfoAnswer {
  if (informationClass !== FILE_CLASS.STANDARD) throw refuse(STATUS.INVALID_INFO_CLASS);
  return exactly(
    standardInformation.encode({
      allocationSize: 4_096n,
      endOfFile: 0n,
      numberOfLinks: 1,
      deletePending: 1,
      directory: 0,
    }),
  );
}
