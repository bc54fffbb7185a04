import { SMB_LIMITS } from "../limits.ts";
import type { Open } from "../session/open.ts";
import type { Reply } from "../transport/request.ts";
import { ACCESS } from "../wire/create.ts";
import { encodeOutputHead } from "../wire/directory.ts";
import { decodeGetEas, EA_FLAG, type ExtendedAttribute, encodeFullEas } from "../wire/extended-attributes.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { need } from "./rights.ts";

/** What a QUERY_INFO of FileFullEaInformation asks. */
export interface QueryEas {
  readonly flags: number;
  /** The index of the first one, when the flags say so. */
  readonly additionalInformation: number;
  /** The names, if only some are wanted. */
  readonly input: Buffer;
  readonly outputBufferLength: number;
}

/**
 * Those that were asked for by name, or all of them from a place on: one that the client names, or the one
 * after the last that this handle returned ([MS-FSA] 2.1.5.12.12). Each comes whole or not at all.
 */
export async function queryEas(open: Open, query: QueryEas): Promise<Reply> {
  need(open, ACCESS.READ_EA);
  if (query.input.length > SMB_LIMITS.eaListBytesMax) throw refuse(STATUS.INVALID_PARAMETER);
  const names = query.input.length === 0 ? undefined : decodeGetEas(query.input);
  const eas = await open.file.extendedAttributes();
  if (eas.length === 0) throw refuse(STATUS.NO_EAS_ON_FILE);
  const start = names === undefined ? startOf(open, eas.length, query) : 0;
  const wanted = names === undefined ? eas.slice(start) : named(eas, names);
  const isSingle = (query.flags & EA_FLAG.RETURN_SINGLE_ENTRY) !== 0;
  const { data, count } = encodeFullEas(isSingle ? wanted.slice(0, 1) : wanted, query.outputBufferLength);
  if (count === 0) throw refuse(STATUS.BUFFER_TOO_SMALL);
  if (names === undefined) open.eaPosition = start + count;
  const isCut = !isSingle && count < wanted.length;
  return {
    status: isCut ? STATUS.BUFFER_OVERFLOW : STATUS.SUCCESS,
    body: encodeOutputHead(data.length),
    payload: [data],
  };
}

function startOf(open: Open, count: number, { flags, additionalInformation }: QueryEas): number {
  if ((flags & EA_FLAG.INDEX_SPECIFIED) !== 0) {
    // Clients count from 1, and learn that there are no more one after the last.
    if (additionalInformation === 0 || additionalInformation > count + 1)
      throw refuse(STATUS.NONEXISTENT_EA_ENTRY);
    if (additionalInformation > count) throw refuse(STATUS.NO_MORE_EAS);
    return additionalInformation - 1;
  }
  const start = (flags & EA_FLAG.RESTART_SCAN) === 0 ? open.eaPosition : 0;
  if (start >= count) throw refuse(STATUS.NO_MORE_EAS);
  return start;
}

const NOTHING = Buffer.alloc(0);

/** In the order of the names, each once; one that is not there comes without a value. */
function named(eas: readonly ExtendedAttribute[], names: readonly string[]): ExtendedAttribute[] {
  const found = new Map(eas.map((ea) => [ea.name.toUpperCase(), ea]));
  const asked = new Map(names.map((name) => [name.toUpperCase(), name]));
  return [...asked].map(([folded, name]) => found.get(folded) ?? { name, value: NOTHING, isNeeded: false });
}
