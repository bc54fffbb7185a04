import { OutOfSpace } from "../../base/faults.ts";
import { Refusal } from "../../base/refusals.ts";
import { refuse, STATUS } from "../wire/status.ts";

/**
 * Refusals of the file service as an SMB client shall hear them. Most rows of the catalogue carry their status; some
 * mean another thing to the holder of a handle than to somebody who comes with a path.
 */
export function answerTo(error: unknown, own: Readonly<Record<string, number>> = {}): unknown {
  if (error instanceof Refusal) return refuse(own[error.code] ?? error.row.smb ?? STATUS.ACCESS_DENIED);
  if (error instanceof OutOfSpace) return refuse(STATUS.DISK_FULL);
  return error;
}

/** To the holder of a handle: what is not there any more has closed it. */
export const BY_HANDLE: Readonly<Record<string, number>> = {
  ResourceNotFound: STATUS.FILE_CLOSED,
  ShareNotFound: STATUS.NETWORK_NAME_DELETED,
};

export async function answered<T>(work: Promise<T>, own?: Readonly<Record<string, number>>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw answerTo(error, own);
  }
}
