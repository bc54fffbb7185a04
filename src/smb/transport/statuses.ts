import { OutOfSpace } from "../../base/faults.ts";
import { Refusal } from "../../base/refusals.ts";
import { refuse, STATUS } from "../wire/status.ts";

type Statuses = Readonly<Record<string, number>>;

/**
 * The SMB status of a refusal or a full disk; other errors stay what they are. The rows of the catalogue
 * carry a status, and `own` overrides it where a refusal means something else to the command.
 */
export function toStatus(error: unknown, own: Statuses = {}): unknown {
  if (error instanceof Refusal) return refuse(own[error.code] ?? error.row.smb ?? STATUS.ACCESS_DENIED);
  if (error instanceof OutOfSpace) return refuse(STATUS.DISK_FULL);
  return error;
}

/** For operations by handle: a missing inode means that the handle is closed. */
export const BY_HANDLE: Statuses = {
  ResourceNotFound: STATUS.FILE_CLOSED,
  ShareNotFound: STATUS.NETWORK_NAME_DELETED,
};

export async function withStatus<T>(work: Promise<T>, own?: Statuses): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toStatus(error, own);
  }
}
