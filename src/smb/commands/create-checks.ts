import type { OpenFile } from "../../services/file/open-file.ts";
import { ACCESS, CREATE_OPTION, type CreateRequest, DISPOSITION } from "../wire/create.ts";
import { refuse, STATUS } from "../wire/status.ts";

const IMPERSONATION_MAX = 3;
const BAD_ATTRIBUTES = 0xffff_8048;
const BAD_OPTIONS = 0xff00_0000;
const UNSUPPORTED_OPTIONS =
  CREATE_OPTION.CREATE_TREE_CONNECTION | CREATE_OPTION.OPEN_BY_FILE_ID | CREATE_OPTION.RESERVE_OPFILTER;
const SHARE_ALL = 7;

/** Refuses a CREATE that is wrong whatever its path leads to. */
export function checkCreate(body: CreateRequest): void {
  const { createOptions, createDisposition, desiredAccess } = body;
  if (body.impersonationLevel > IMPERSONATION_MAX) throw refuse(STATUS.BAD_IMPERSONATION_LEVEL);
  if (createDisposition > DISPOSITION.OVERWRITE_IF) throw refuse(STATUS.INVALID_PARAMETER);
  if ((body.fileAttributes & BAD_ATTRIBUTES) !== 0) throw refuse(STATUS.INVALID_PARAMETER);
  if ((body.shareAccess & ~SHARE_ALL) !== 0) throw refuse(STATUS.INVALID_PARAMETER);
  if ((createOptions & BAD_OPTIONS) !== 0) throw refuse(STATUS.INVALID_PARAMETER);
  if ((createOptions & UNSUPPORTED_OPTIONS) !== 0) throw refuse(STATUS.NOT_SUPPORTED);
  const isDirectory = (createOptions & CREATE_OPTION.DIRECTORY_FILE) !== 0;
  if (isDirectory && (createOptions & CREATE_OPTION.NON_DIRECTORY_FILE) !== 0)
    throw refuse(STATUS.INVALID_PARAMETER);
  const mayBeDirectory: readonly number[] = [DISPOSITION.OPEN, DISPOSITION.CREATE, DISPOSITION.OPEN_IF];
  if (isDirectory && !mayBeDirectory.includes(createDisposition)) throw refuse(STATUS.INVALID_PARAMETER);
  const mayDelete = (desiredAccess & (ACCESS.DELETE | ACCESS.GENERIC_ALL | ACCESS.MAXIMUM_ALLOWED)) !== 0;
  if ((createOptions & CREATE_OPTION.DELETE_ON_CLOSE) !== 0 && !mayDelete) throw refuse(STATUS.ACCESS_DENIED);
}

export function kindOf(createOptions: number): OpenFile["kind"] | undefined {
  if ((createOptions & CREATE_OPTION.DIRECTORY_FILE) !== 0) return "directory";
  return (createOptions & CREATE_OPTION.NON_DIRECTORY_FILE) !== 0 ? "file" : undefined;
}
