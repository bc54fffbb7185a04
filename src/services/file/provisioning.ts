import type { Instant } from "../../base/clock.ts";
import type { ShareSettings } from "../../store/records/file.ts";

/**
 * What a share was promised. Nothing here slows a share down or speeds it up; clients that provision shares read the
 * figures back, and what they did not name follows from the quota by the formulas of the protocol.
 */
export interface Provisioning {
  readonly iops: number;
  readonly mibps: number;
  readonly ingressMbps: number;
  readonly egressMbps: number;
  readonly burstIops: number;
  readonly burstCredits: number;
  /** Since when the promise may be lowered. */
  readonly downgradeAt: Instant;
}

const IOPS_MAX = 102_400;
const BURST_MIBPS_MAX = 10_340;
const BURST_IOPS_MIN = 10_000;
const BURST_SECONDS = 3_600;

/** How far bursts that are paid for may go: as far as the client said, or as far as they go at all. */
export function paidBurstingOf({ paidBursting }: ShareSettings): ShareSettings["paidBursting"] {
  if (paidBursting?.isEnabled !== true) return paidBursting;
  return { iops: IOPS_MAX, mibps: BURST_MIBPS_MAX, ...paidBursting };
}

/** Of shares on the premium tier, and of those whose figures a client set; others share what there is. */
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
