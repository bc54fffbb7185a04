import { refuse, STATUS } from "./status.ts";

/** Strings on the wire are UTF-16LE without a terminator; lengths count bytes. */
export function utf16(text: string): Buffer {
  return Buffer.from(text, "utf16le");
}

export function textOf(bytes: Buffer): string {
  if (bytes.length % 2 !== 0) throw refuse(STATUS.INVALID_PARAMETER);
  return bytes.toString("utf16le");
}
