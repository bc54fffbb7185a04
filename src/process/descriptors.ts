import { readFileSync } from "node:fs";
import { errorCode } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";

/**
 * The maximum of open file descriptors of this process. Node.js raises its soft limit to the hard one when it
 * starts, so this equals `ulimit -Hn`. Infinity where there is no limit, as on Windows.
 */
export function readDescriptorsMax(platform: string = process.platform): number {
  if (platform === "win32") return Number.POSITIVE_INFINITY;
  if (platform === "linux") {
    const limit = parseDescriptorsMax(readOwnLimits());
    if (limit !== undefined) return limit;
  }
  return reportedDescriptorsMax() ?? LIMITS.descriptorsAssumed;
}

function readOwnLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch (error) {
    // A sandbox without /proc.
    if (errorCode(error) === undefined) throw error;
    return "";
  }
}

/** The line is `Max open files 1024 1048576 files`: soft, hard, unit. */
export function parseDescriptorsMax(limits: string): number | undefined {
  const soft = /^Max open files\s+(\d+|unlimited)\s/m.exec(limits)?.[1];
  return soft === undefined ? undefined : numberOf(soft);
}

/** The diagnostic report has the limits on every POSIX system. */
export function reportedDescriptorsMax(): number | undefined {
  const report = process.report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const soft = report.userLimits?.open_files?.soft;
  return soft === undefined ? undefined : numberOf(soft);
}

function numberOf(limit: number | string): number {
  return limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit);
}

/**
 * How many of the descriptors connections to the services may use. The rest is for the admin listener, files
 * and the connections that the server itself makes.
 */
export function connectionsFor(descriptors: number): number {
  if (!Number.isFinite(descriptors)) return descriptors;
  const reserved = Math.max(LIMITS.descriptorsReserved, descriptors * LIMITS.descriptorsReservedShare);
  return Math.floor(Math.max(descriptors - reserved, descriptors / 2));
}
