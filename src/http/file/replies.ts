import { LastValueMemo } from "../../base/memo.ts";
import { instantOf, timestampOf } from "../../base/revision.ts";
import { quotedEtag } from "../../concurrency/etag.ts";
import { ATTRIBUTE, type AttributeName } from "../../services/file/attributes.ts";
import type { Inode } from "../../services/file/inodes.ts";
import type { CopyRecord, FileHeaders } from "../../services/file/records.ts";
import type { HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { isSince, withoutNewer } from "../wire/since.ts";

type Printed = Record<string, string | undefined>;

const ATTRIBUTES = Object.entries(ATTRIBUTE) as [AttributeName, number][];

export function printAttributes(attributes: number): string {
  if (attributes === ATTRIBUTE.Archive) return "Archive";
  if (attributes === ATTRIBUTE.Directory) return "Directory";
  const names = ATTRIBUTES.filter(([, bit]) => (attributes & bit) !== 0).map(([name]) => name);
  return names.length === 0 ? "None" : names.join(" | ");
}

/** The three times of a file are mostly the same. */
const timestamps = new LastValueMemo(timestampOf);

export function printTicks(ticks: bigint): string {
  return timestamps.get(ticks);
}

/**
 * Of a file or directory that was created or changed. One object literal, without spreads: every write builds
 * it.
 */
export function changedHeaders({ id, record }: Inode, { version }: Pick<HttpRequest, "version">): Printed {
  const headers = {
    ETag: quotedEtag(record.revision),
    "Last-Modified": printHttpDate(instantOf(record.revision)),
    "x-ms-file-attributes": printAttributes(record.attributes),
    "x-ms-file-creation-time": printTicks(record.createdAt),
    "x-ms-file-last-write-time": printTicks(record.writtenAt),
    "x-ms-file-change-time": printTicks(record.changedAt),
    "x-ms-file-permission-key": record.permission,
    "x-ms-file-id": String(id),
    "x-ms-file-parent-id": String(record.parent),
    "x-ms-request-server-encrypted": "true",
  };
  return isSince(version, "x-ms-file-id") ? headers : withoutNewer(version, headers);
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
