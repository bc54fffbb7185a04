import type { Instant } from "../base/clock.ts";
import type { RefusalCode } from "../base/refusals.ts";
import { checkLeaseRead, checkLeaseWrite, type Lease } from "./lease.ts";

/**
 * Leases of files and shares: the states of lease.ts with the codes of the File service. A share answers with
 * the codes of containers, as it does on Azure; a file has its own.
 */
export function checkFileRead(lease: Lease, id: string | undefined, now: Instant): RefusalCode | undefined {
  return fileCode(checkLeaseRead(lease, id, now, "Container"));
}

export function checkFileWrite(lease: Lease, id: string | undefined, now: Instant): RefusalCode | undefined {
  return fileCode(checkLeaseWrite(lease, id, now, "Container"));
}

function fileCode(code: RefusalCode | undefined): RefusalCode | undefined {
  switch (code) {
    case "LeaseIdMismatchWithContainerOperation":
      return "LeaseIdMismatchWithFileOperation";
    case "LeaseNotPresentWithContainerOperation":
      return "LeaseNotPresentWithFileOperation";
    default:
      return code;
  }
}

/**
 * A share's lease keeps it from being deleted; an id sent along with another operation must be the right one.
 */
export function checkShareUse(
  lease: Lease,
  id: string | undefined,
  now: Instant,
  use: "delete" | "other",
): RefusalCode | undefined {
  const check = use === "delete" ? checkLeaseWrite : checkLeaseRead;
  const code = check(lease, id, now, "Container");
  if (code === "LeaseIdMismatchWithContainerOperation") return "LeaseIdMismatchWithShareOperation";
  return code === "LeaseNotPresentWithContainerOperation" ? "LeaseNotPresentWithShareOperation" : code;
}
