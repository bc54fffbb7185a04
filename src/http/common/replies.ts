import type { Instant } from "../../base/clock.ts";
import { instantOf, type Revision } from "../../base/revision.ts";
import { quotedEtag } from "../../concurrency/etag.ts";
import { type Lease, leaseStatus } from "../../concurrency/lease.ts";
import type { HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { printMetadata } from "../wire/metadata.ts";

/** Headers that replies of several services share. */
export const XML = { "Content-Type": "application/xml" } as const;

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
export function serviceEndpoint({ headers, target, isSecure }: HttpRequest): string {
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
