import type { Instant } from "../../base/clock.ts";
import { instantOf, type Revision } from "../../base/revision.ts";
import { quotedEtag } from "../../concurrency/etag.ts";
import { type Lease, leaseStatus } from "../../concurrency/lease.ts";
import type { HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";

/** Headers that replies of several services share. */
export const XML = { "Content-Type": "application/xml" } as const;

export function stamp(revision: Revision): Record<string, string> {
  return { ETag: quotedEtag(revision), "Last-Modified": printHttpDate(instantOf(revision)) };
}

export function leaseHeaders(lease: Lease | undefined, now: Instant): Record<string, string | undefined> {
  const { state, status, duration } = leaseStatus(lease, now);
  return { "x-ms-lease-status": status, "x-ms-lease-state": state, "x-ms-lease-duration": duration };
}

/** The address the client used, up to the account: listings repeat it. */
export function serviceEndpoint({ headers, target, isSecure }: HttpRequest): string {
  const root = `${isSecure ? "https" : "http"}://${headers.host ?? "localhost"}/`;
  return target.isPathStyle ? `${root}${target.account}/` : root;
}
