import type { Instant } from "../../base/clock.ts";
import { Refusal } from "../../base/refusals.ts";
import { instantOf, type Revision } from "../../base/revision.ts";
import { quotedEtag } from "../../concurrency/etag.ts";
import { type Lease, leaseStatus } from "../../concurrency/lease.ts";
import type { HttpReply, HttpRequest, ReplyHeaders } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { printMetadata } from "../wire/metadata.ts";
import { printListing } from "../wire/printed-page.ts";
import { optionalElement, textElement } from "../wire/xml-print.ts";

/** Headers that replies of several services share. */
export const XML = { "Content-Type": "application/xml" } as const;
/** What a read of the Queue service returns is not for caches. */
export const UNCACHED = { "Cache-Control": "no-cache" } as const;
export const UNCACHED_XML = { ...XML, ...UNCACHED } as const;

export function xmlHeaders({ target }: Pick<HttpRequest, "target">): ReplyHeaders {
  return target.service === "queue" ? UNCACHED_XML : XML;
}

export function stamp(revision: Revision): Record<string, string> {
  return { ETag: quotedEtag(revision), "Last-Modified": printHttpDate(instantOf(revision)) };
}

/** The reply to Get Container Metadata, Get File Metadata and their like. */
export function metadataHeaders({ revision, metadata }: Described): Record<string, string> {
  return { ...stamp(revision), ...printMetadata(metadata ?? {}) };
}

interface Described {
  readonly revision: Revision;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export function leaseHeaders(lease: Lease | undefined, now: Instant): Record<string, string | undefined> {
  const { state, status, duration } = leaseStatus(lease, now);
  return { "x-ms-lease-status": status, "x-ms-lease-state": state, "x-ms-lease-duration": duration };
}

/** The address of the account as the client wrote it; listings repeat it. */
function serviceEndpoint({ headers, target, isSecure }: HttpRequest): string {
  const root = `${isSecure ? "https" : "http"}://${headers.host ?? "localhost"}/`;
  return target.isPathStyle ? `${root}${target.account}/` : root;
}

/** A SAS may set headers of the reply (rscc, rscd, rsce, rscl, rsct). */
export function overrideHeaders(
  headers: Record<string, string | undefined>,
  { caller }: Pick<HttpRequest, "caller">,
): void {
  if (caller.kind !== "serviceSas") return;
  for (const lower in caller.overrides) {
    const name = lower.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
    headers[name] = caller.overrides[lower];
  }
}

/** The reply of a listing of an account or of what is in it. */
export function listReply(request: HttpRequest, listing: Parameters<typeof printListing>[0]): HttpReply {
  const attributes = { ServiceEndpoint: serviceEndpoint(request), ...listing.attributes };
  return { status: 200, headers: xmlHeaders(request), body: printListing({ ...listing, attributes }) };
}

export function invalidMarker(): Refusal {
  return new Refusal("OutOfRangeInput");
}

/** The lease of an entry in a listing. */
export function printLease(lease: Lease | undefined, now: Instant): string {
  const { state, status, duration } = leaseStatus(lease, now);
  return (
    textElement("LeaseStatus", status) +
    textElement("LeaseState", state) +
    optionalElement("LeaseDuration", duration)
  );
}

const DAY_MILLIS = 24 * 60 * 60_000;

/** When a soft-deleted entry was deleted, and for how many days it can still be restored. */
export function printDeletion(deleted: Deletion | undefined, now: Instant): string {
  if (deleted === undefined) return "";
  const days = Math.max(0, Math.ceil((deleted.until - now) / DAY_MILLIS));
  return textElement("DeletedTime", printHttpDate(deleted.at)) + textElement("RemainingRetentionDays", days);
}

interface Deletion {
  readonly at: Instant;
  readonly until: Instant;
}
