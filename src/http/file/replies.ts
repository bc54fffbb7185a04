import type { Instant } from "../../base/clock.ts";
import { etagOf, instantOf, type Revision, timestampOf } from "../../base/revision.ts";
import { type Lease, leaseStatus } from "../../concurrency/lease.ts";
import { ATTRIBUTE, type AttributeName } from "../../services/file/attributes.ts";
import type { Node } from "../../services/file/nodes.ts";
import type { CopyRecord, FileHeaders, LeaseRecord } from "../../services/file/records.ts";
import type { HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";

/** Headers many replies share. */
export const XML = { "Content-Type": "application/xml" } as const;
type Printed = Record<string, string | undefined>;

export function quotedEtag(revision: Revision): string {
  return `"${etagOf(revision)}"`;
}

export function stamp(revision: Revision): Record<string, string> {
  return { ETag: quotedEtag(revision), "Last-Modified": printHttpDate(instantOf(revision)) };
}

export function leaseHeaders(lease: LeaseRecord | undefined, now: Instant): Printed {
  const { state, status, duration } = leaseStatus(lease as Lease | undefined, now);
  return { "x-ms-lease-status": status, "x-ms-lease-state": state, "x-ms-lease-duration": duration };
}

const ATTRIBUTES = Object.entries(ATTRIBUTE) as [AttributeName, number][];

export function printAttributes(attributes: number): string {
  if (attributes === ATTRIBUTE.Archive) return "Archive";
  if (attributes === ATTRIBUTE.Directory) return "Directory";
  const names = ATTRIBUTES.filter(([, bit]) => (attributes & bit) !== 0).map(([name]) => name);
  return names.length === 0 ? "None" : names.join(" | ");
}

/** What SMB clients see of a file or directory, too. */
export function nodeHeaders({ id, record }: Node): Printed {
  return {
    "x-ms-file-attributes": printAttributes(record.attributes),
    "x-ms-file-creation-time": timestampOf(record.createdAt),
    "x-ms-file-last-write-time": timestampOf(record.writtenAt),
    "x-ms-file-change-time": timestampOf(record.changedAt),
    "x-ms-file-permission-key": record.permission,
    "x-ms-file-id": String(id),
    "x-ms-file-parent-id": String(record.parent),
  };
}

export function contentHeaders(headers: FileHeaders | undefined): Printed {
  return {
    "Content-Type": headers?.contentType,
    "Content-Encoding": headers?.contentEncoding,
    "Content-Language": headers?.contentLanguage,
    "Content-Disposition": headers?.contentDisposition,
    "Cache-Control": headers?.cacheControl,
  };
}

export function copyHeaders(copy: CopyRecord | undefined): Printed {
  if (copy === undefined) return {};
  return {
    "x-ms-copy-id": copy.id,
    "x-ms-copy-source": copy.source,
    "x-ms-copy-status": copy.status,
    "x-ms-copy-status-description": copy.description,
    "x-ms-copy-progress": `${copy.bytes}/${copy.total}`,
    "x-ms-copy-completion-time": copy.endedAt === undefined ? undefined : printHttpDate(copy.endedAt),
  };
}

/** The address the client used, up to the account: listings repeat it. */
export function serviceEndpoint({ headers, target, isSecure }: HttpRequest): string {
  const root = `${isSecure ? "https" : "http"}://${headers.host ?? "localhost"}/`;
  return target.isPathStyle ? `${root}${target.account}/` : root;
}
