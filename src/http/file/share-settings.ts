import type { Instant } from "../../base/clock.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { paidBurstingOf, provisioningOf } from "../../services/file/provisioning.ts";
import type { ShareRecord, ShareSettings } from "../../services/file/records.ts";
import type { SettingChanges } from "../../services/file/share-properties.ts";
import { readBoolean, readWhole, readWord } from "../common/read-headers.ts";
import { stamp } from "../common/replies.ts";
import type { Headers, HttpRequest } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { withoutNewer } from "../wire/since.ts";
import { optionalElement, textElement } from "../wire/xml-print.ts";

const TIERS = ["TransactionOptimized", "Hot", "Cool", "Premium"];

const SQUASHES = ["NoRootSquash", "RootSquash", "AllSquash"];

/** An empty header counts as absent. */
export function readNonEmpty<Word extends string>(
  headers: Headers,
  name: string,
  words: readonly Word[],
): Word | undefined {
  return headers[name] === "" ? undefined : readWord(headers, name, words);
}

/** Refuses a share for NFS, as an account without this feature does. */
export function readProtocols(headers: Headers): "SMB" {
  return readNonEmpty(headers, "x-ms-enabled-protocols", ["SMB"]) ?? "SMB";
}

const COUNT = { min: 0, max: 10_000_000 } as const;

export function readSettings(headers: Headers): SettingChanges {
  const isBursting = readBoolean(headers, "x-ms-share-paid-bursting-enabled");
  const iops = readWhole(headers, "x-ms-share-paid-bursting-max-iops", COUNT);
  const mibps = readWhole(headers, "x-ms-share-paid-bursting-max-bandwidth-mibps", COUNT);
  return {
    quotaGib: readWhole(headers, "x-ms-share-quota", { min: 1, max: FILE_LIMITS.shareQuotaGibMax }),
    tier: readNonEmpty(headers, "x-ms-access-tier", TIERS),
    rootSquash: readNonEmpty(headers, "x-ms-root-squash", SQUASHES),
    snapshotDirectoryAccess: readBoolean(headers, "x-ms-enable-snapshot-virtual-directory-access"),
    directoryLease: readBoolean(headers, "x-ms-enable-smb-directory-lease"),
    paidBursting:
      isBursting === undefined
        ? undefined
        : {
            isEnabled: isBursting,
            ...(iops === undefined ? {} : { iops }),
            ...(mibps === undefined ? {} : { mibps }),
          },
    provisionedIops: readWhole(headers, "x-ms-share-provisioned-iops", COUNT),
    provisionedMibps: readWhole(headers, "x-ms-share-provisioned-bandwidth-mibps", COUNT),
  };
}

type Printed = Record<string, string | undefined>;

/** The reply to a request that creates, changes or restores a share. */
export function shareWrittenHeaders(share: ShareRecord, { version }: HttpRequest): Printed {
  return { ...stamp(share.revision), ...withoutNewer(version, quotaHeaders(share)) };
}

function quotaHeaders({ settings }: Pick<ShareRecord, "settings">): Printed {
  const promised = provisioningOf(settings);
  return {
    "x-ms-share-quota": String(settings.quotaGib),
    "x-ms-share-provisioned-iops": promised?.iops.toString(),
    "x-ms-share-provisioned-bandwidth-mibps": promised?.mibps.toString(),
    "x-ms-share-included-burst-iops": promised?.burstIops.toString(),
    "x-ms-share-max-burst-credits-for-iops": promised?.burstCredits.toString(),
  };
}

/** When a client may lower what it provisioned. */
export function downgradeHeaders({ settings }: Pick<ShareRecord, "settings">): Printed {
  const promised = provisioningOf(settings);
  if (promised === undefined) return {};
  const at = printHttpDate(promised.downgradeAt);
  return {
    "x-ms-share-next-allowed-quota-downgrade-time": at,
    "x-ms-share-next-allowed-provisioned-iops-downgrade-time": at,
    "x-ms-share-next-allowed-provisioned-bandwidth-downgrade-time": at,
  };
}

/** pending-from-hot, pending-from-transactionOptimized */
function tierTransition(settings: ShareSettings, now: Instant): string | undefined {
  const { formerTier, tierChangedAt } = settings;
  if (formerTier === undefined || now >= tierChangedAt + FILE_LIMITS.tierTransitionMillis) return undefined;
  return `pending-from-${formerTier[0]!.toLowerCase()}${formerTier.slice(1)}`;
}

export function settingHeaders(share: Pick<ShareRecord, "settings">, now: Instant): Printed {
  const { settings } = share;
  const paidBursting = paidBurstingOf(settings);
  const promised = provisioningOf(settings);
  return {
    ...quotaHeaders(share),
    ...downgradeHeaders(share),
    "x-ms-share-provisioned-ingress-mbps": promised?.ingressMbps.toString(),
    "x-ms-share-provisioned-egress-mbps": promised?.egressMbps.toString(),
    "x-ms-access-tier": settings.tier,
    "x-ms-access-tier-change-time": printHttpDate(settings.tierChangedAt),
    "x-ms-access-tier-transition-state": tierTransition(settings, now),
    "x-ms-enabled-protocols": protocolsOf(settings),
    "x-ms-root-squash": rootSquashOf(settings),
    "x-ms-enable-snapshot-virtual-directory-access": settings.snapshotDirectoryAccess?.toString(),
    "x-ms-enable-smb-directory-lease": settings.directoryLease?.toString(),
    "x-ms-share-paid-bursting-enabled": paidBursting?.isEnabled.toString(),
    "x-ms-share-paid-bursting-max-iops": paidBursting?.iops?.toString(),
    "x-ms-share-paid-bursting-max-bandwidth-mibps": paidBursting?.mibps?.toString(),
  };
}

/** Azure reports the protocols of premium shares only; others have SMB. */
function protocolsOf({ protocols, tier }: ShareSettings): string | undefined {
  return tier === "Premium" || protocols !== "SMB" ? protocols : undefined;
}

function rootSquashOf({ rootSquash, protocols }: ShareSettings): string | undefined {
  return rootSquash ?? (protocols === "NFS" ? "NoRootSquash" : undefined);
}

/** Elements of a listing. */
export function printSettings(settings: ShareSettings, now: Instant): string {
  const paidBursting = paidBurstingOf(settings);
  const promised = provisioningOf(settings);
  const downgrade = promised === undefined ? undefined : printHttpDate(promised.downgradeAt);
  return (
    optionalElement("EnabledProtocols", protocolsOf(settings)) +
    optionalElement("RootSquash", rootSquashOf(settings)) +
    textElement("AccessTier", settings.tier) +
    textElement("AccessTierChangeTime", printHttpDate(settings.tierChangedAt)) +
    optionalElement("AccessTierTransitionState", tierTransition(settings, now)) +
    optionalElement("ProvisionedIops", promised?.iops) +
    optionalElement("ProvisionedBandwidthMiBps", promised?.mibps) +
    optionalElement("ProvisionedIngressMBps", promised?.ingressMbps) +
    optionalElement("ProvisionedEgressMBps", promised?.egressMbps) +
    optionalElement("NextAllowedQuotaDowngradeTime", downgrade) +
    optionalElement("EnableSnapshotVirtualDirectoryAccess", settings.snapshotDirectoryAccess) +
    optionalElement("EnableSmbDirectoryLease", settings.directoryLease) +
    optionalElement("PaidBurstingEnabled", paidBursting?.isEnabled) +
    optionalElement("PaidBurstingMaxIops", paidBursting?.iops) +
    optionalElement("PaidBurstingMaxBandwidthMibps", paidBursting?.mibps) +
    optionalElement("IncludedBurstIops", promised?.burstIops) +
    optionalElement("MaxBurstCreditsForIops", promised?.burstCredits) +
    optionalElement("NextAllowedProvisionedIopsDowngradeTime", downgrade) +
    optionalElement("NextAllowedProvisionedBandwidthDowngradeTime", downgrade)
  );
}
