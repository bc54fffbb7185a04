import type { Instant } from "../../base/clock.ts";
import { throwIf } from "../../base/refusals.ts";
import { checkShareUse } from "../../concurrency/file-lease.ts";
import type { ShareRecord, ShareSettings } from "../../store/records/file.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import { leaseOf } from "../lease-action.ts";
import type { FileService } from "./file-service.ts";
import type { SnapshotRef } from "./names.ts";
import { putShare, readShare, readSnapshot, readUsage, refuseSnapshot } from "./shares.ts";

/** A request to a share as a whole, with the lease id it presents. */
export interface GuardedShare {
  readonly ref: SnapshotRef;
  readonly leaseId?: string | undefined;
}

/** The properties that a share and its snapshots have in common. */
export type ShareState = Pick<ShareRecord, "revision" | "settings" | "metadata" | "lease">;

export function getShare(
  files: FileService,
  { ref, leaseId }: GuardedShare,
): Promise<{ readonly info: ShareState; readonly share: ShareRecord; readonly now: Instant }> {
  return files.read(async (read) => {
    const share = await readShare(read, ref);
    const info = ref.snapshot === undefined ? share : await readSnapshot(read, share.id, ref.snapshot);
    throwIf(checkShareUse(leaseOf(info), leaseId, read.now(), "read"));
    return { info, share, now: read.now() };
  });
}

async function changeShare(
  files: FileService,
  { ref, leaseId }: GuardedShare,
  change: (share: ShareRecord, now: Instant) => ShareRecord,
): Promise<ShareRecord> {
  refuseSnapshot(ref);
  return files.change(async (write) => {
    const share = await readShare(write, ref);
    throwIf(checkShareUse(leaseOf(share), leaseId, write.now(), "write"));
    const changed = { ...change(share, write.now()), revision: write.revision(share.revision) };
    putShare(write, ref, changed);
    return changed;
  });
}

export function setShareMetadata(
  files: FileService,
  request: GuardedShare & { readonly metadata: Readonly<Record<string, string>> },
): Promise<ShareRecord> {
  return changeShare(files, request, (share) => ({ ...share, metadata: request.metadata }));
}

export type SettingChanges = { readonly [Name in keyof ShareSettings]?: ShareSettings[Name] | undefined };

/** A quota below the usage is accepted; it only stops growth. */
export function setShareProperties(
  files: FileService,
  request: GuardedShare & { readonly changes: SettingChanges },
): Promise<ShareRecord> {
  const given = Object.fromEntries(
    Object.entries(request.changes).filter(([, value]) => value !== undefined),
  );
  return changeShare(files, request, (share, now) => {
    const isNewTier = given.tier !== undefined && given.tier !== share.settings.tier;
    const moved = isNewTier ? { tierChangedAt: now, formerTier: share.settings.tier } : {};
    return { ...share, settings: { ...share.settings, ...given, ...moved } };
  });
}

export function setShareAcl(
  files: FileService,
  request: GuardedShare & { readonly policies: readonly StoredPolicy[] },
): Promise<ShareRecord> {
  return changeShare(files, request, (share) => ({ ...share, policies: request.policies }));
}

/** In bytes. */
export function getShareUsage(files: FileService, { ref, leaseId }: GuardedShare): Promise<number> {
  return files.read(async (read) => {
    const share = await readShare(read, ref);
    throwIf(checkShareUse(leaseOf(share), leaseId, read.now(), "read"));
    return readUsage(read, share.id);
  });
}
