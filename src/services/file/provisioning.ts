import type { Instant } from "../../base/clock.ts";
import type { ShareSettings } from "../../store/records/file.ts";

/**
 * The provisioned performance of a share. It limits nothing here, but clients that provision shares read the
 * values back. Values that a client did not set follow from the quota by the formulas of Azure Files.
 */
export interface Provisioning {
  readonly iops: number;
  readonly mibps: number;
  readonly ingressMbps: number;
  readonly egressMbps: number;
  readonly burstIops: number;
  readonly burstCredits: number;
  /** When the values may be lowered next. */
  readonly downgradeAt: Instant;
}

const IOPS_MAX = 102_400;
const BURST_MIBPS_MAX = 10_340;
const BURST_IOPS_MIN = 10_000;
const BURST_SECONDS = 3_600;

/** The limits of paid bursting: those the client set, or the maximum. */
export function paidBurstingOf({ paidBursting }: ShareSettings): ShareSettings["paidBursting"] {
  if (paidBursting?.isEnabled !== true) return paidBursting;
  return { iops: IOPS_MAX, mibps: BURST_MIBPS_MAX, ...paidBursting };
}

/** Undefined for a share that is neither on the premium tier nor explicitly provisioned. */
export function provisioningOf(settings: ShareSettings): Provisioning | undefined {
  const { tier, quotaGib, provisionedIops, provisionedMibps, tierChangedAt } = settings;
  if (tier !== "Premium" && provisionedIops === undefined && provisionedMibps === undefined) return undefined;
  const ingressMbps = 40 + Math.ceil(quotaGib * 0.04);
  const egressMbps = 60 + Math.ceil(quotaGib * 0.06);
  const iops = provisionedIops ?? Math.min(3_000 + quotaGib, IOPS_MAX);
  const burstIops = Math.max(iops, Math.min(Math.max(BURST_IOPS_MIN, iops * 3), IOPS_MAX));
  return {
    iops,
    mibps: provisionedMibps ?? ingressMbps + egressMbps,
    ingressMbps,
    egressMbps,
    burstIops,
    burstCredits: (burstIops - iops) * BURST_SECONDS,
    downgradeAt: tierChangedAt,
  };
}
