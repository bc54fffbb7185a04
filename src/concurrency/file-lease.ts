import type { Instant } from "../base/clock.ts";
import type { RefusalCode } from "../base/refusals.ts";
import { checkLeaseRead, checkLeaseWrite, type Lease } from "./lease.ts";

/**
 * Leases of files and shares follow lease.ts and have the codes of the File service. A file's lease reserves
 * writes. A share's lease reserves changes of the share itself and its deletion; reads need no id, but one
 * that is sent must match.
 */
export function checkFileRead(lease: Lease, id: string | undefined, now: Instant): RefusalCode | undefined {
  return codeOf("File", checkLeaseRead(lease, id, now, "Container"));
}

export function checkFileWrite(lease: Lease, id: string | undefined, now: Instant): RefusalCode | undefined {
  return codeOf("File", checkLeaseWrite(lease, id, now, "Container"));
}

export function checkShareUse(
  lease: Lease,
  id: string | undefined,
  now: Instant,
  use: "read" | "write",
): RefusalCode | undefined {
  const check = use === "write" ? checkLeaseWrite : checkLeaseRead;
  return codeOf("Share", check(lease, id, now, "Container"));
}

function codeOf(what: "File" | "Share", code: RefusalCode | undefined): RefusalCode | undefined {
  if (code === "LeaseIdMismatchWithContainerOperation") return `LeaseIdMismatchWith${what}Operation`;
  return code === "LeaseNotPresentWithContainerOperation" ? `LeaseNotPresentWith${what}Operation` : code;
}
