import type { Instant, Millis } from "../../base/clock.ts";
import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import {
  acquireLease,
  breakLease,
  changeLease,
  type Lease,
  type LeaseOutcome,
  releaseLease,
  renewLease,
  secondsToBreak,
} from "../../concurrency/lease.ts";
import type { FileService } from "./file-service.ts";
import type { PathRef, SnapshotRef } from "./names.ts";
import { findFile, putNode } from "./nodes.ts";
import { putFacts } from "./share-properties.ts";
import { leaseOf, readShare, readSnapshot, refuseSnapshot, withLease } from "./shares.ts";
import { LiveView } from "./versions.ts";

/** What a client asks of the lease of a file or of a share. */
export type LeaseAction =
  | {
      readonly action: "acquire";
      readonly id: string;
      readonly isProposed: boolean;
      readonly length: Millis | "infinite";
    }
  | { readonly action: "renew"; readonly id: string }
  | { readonly action: "change"; readonly held: string; readonly proposed: string }
  | { readonly action: "release"; readonly id: string }
  | { readonly action: "break"; readonly period: Millis | undefined };

export interface LeaseResult {
  readonly revision: Revision;
  readonly lease: Lease;
  /** Of a break: whole seconds until it is over. */
  readonly secondsLeft: number;
}

function nextLease(stored: Lease, action: LeaseAction, now: Instant): Lease {
  const outcome = outcomeOf(stored, action, now);
  if (!outcome.ok) throw new Refusal(outcome.code);
  return outcome.next;
}

function outcomeOf(stored: Lease, request: LeaseAction, now: Instant): LeaseOutcome {
  switch (request.action) {
    case "acquire":
      return acquireLease(stored, request, now);
    case "renew":
      return renewLease(stored, request.id, now);
    case "change":
      return changeLease(stored, request, now);
    case "release":
      return releaseLease(stored, request.id, now);
    case "break":
      return breakLease(stored, request.period, now);
  }
}

/**
 * A file's lease never ends by itself. While it is held, SMB clients can open the file for reading only; to get it,
 * no SMB client may have it open for more. No lease action changes an ETag or a time.
 */
export function leaseFile(
  files: FileService,
  { ref, lease: action }: { readonly ref: PathRef; readonly lease: LeaseAction },
): Promise<LeaseResult> {
  if (ref.snapshot !== undefined) throw new Refusal("ShareSnapshotOperationNotSupported");
  refuseSnapshot(ref);
  return files.change(async (write, grants) => {
    const share = await readShare(write, ref);
    const node = await findFile(new LiveView(write), share.id, ref.path);
    const grant = grants.ask(share, node, action.action === "acquire" ? "lease" : "look");
    if (node.record.copy?.status === "pending") throw new Refusal("PendingCopyOperation");
    const lease = nextLease(leaseOf(node.record), action, write.now());
    grant.pass();
    await putNode(write, share, node.id, withLease(node.record, lease), write.revision());
    return { revision: node.record.revision, lease, secondsLeft: secondsToBreak(lease, write.now()) };
  });
}

/** A share and each of its snapshots have leases of their own. */
export function leaseShare(
  files: FileService,
  { ref, lease: action }: { readonly ref: SnapshotRef; readonly lease: LeaseAction },
): Promise<LeaseResult> {
  return files.change(async (write) => {
    const share = await readShare(write, ref);
    const facts = ref.snapshot === undefined ? share : await readSnapshot(write, share.id, ref.snapshot);
    const lease = nextLease(leaseOf(facts), action, write.now());
    await putFacts(write, ref, share, (present) => withLease(present, lease));
    return { revision: facts.revision, lease, secondsLeft: secondsToBreak(lease, write.now()) };
  });
}
