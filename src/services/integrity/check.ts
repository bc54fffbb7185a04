import type { Writer } from "../../store/kv.ts";
import type { PayloadService } from "../payload/payload-service.ts";
import { checkExtents } from "./check-extents.ts";
import { type Finding, findingOf, RecordCheck, type Repair } from "./check-records.ts";
import { INTEGRITY_LIMITS } from "./limits.ts";
import { moveToQuarantine, QUARANTINE } from "./quarantine.ts";
import { repairOf } from "./repair-accounts.ts";

/** Checks, and repairs, the records and payload of a store that no server uses. */
export interface CheckStep {
  readonly phase: "records" | "payload";
  readonly done: number;
  readonly total: number | undefined;
}

export interface CheckReport {
  readonly records: number;
  readonly payloadBytes: number;
  readonly findings: readonly Finding[];
  /** Also those that are not listed. */
  readonly findingCount: number;
  /** Records that earlier repairs moved away. */
  readonly quarantined: number;
}

export async function check(
  payload: PayloadService,
  progress: (step: CheckStep) => void,
): Promise<CheckReport> {
  const { store } = payload;
  const { records, findings, findingCount, uneven } = await new RecordCheck(store, (done) =>
    progress({ phase: "records", done, total: undefined }),
  ).run();
  const { quarantined, accounts } = await store.read(async (read) => {
    let quarantined = 0;
    for await (const _ of read.range(QUARANTINE)) quarantined++;
    const mayLower = quarantined === 0 && !findings.some(({ kind }) => kind === "undecodable");
    const accounts: Finding[] = [];
    for (const account of uneven) {
      const repair = await repairOf(account, { read, payload, uneven, mayLower });
      accounts.push({ ...findingOf(account), ...(repair === undefined ? {} : { repair }) });
    }
    return { quarantined, accounts };
  });
  const extents = await checkExtents(payload, (done, total) => progress({ phase: "payload", done, total }));
  return {
    records,
    payloadBytes: extents.bytes,
    findings: [...findings, ...accounts, ...extents.findings],
    findingCount: findingCount + accounts.length + extents.findings.length,
    quarantined,
  };
}

export interface Repaired {
  /** What is left. */
  readonly report: CheckReport;
  readonly repaired: readonly Finding[];
}

/** Alternates checks and repairs until there is nothing left that a repair can do. */
export async function checkAndRepair(
  payload: PayloadService,
  progress: (step: CheckStep) => void,
): Promise<Repaired> {
  const repaired: Finding[] = [];
  let report = await check(payload, progress);
  for (let round = 0; round < INTEGRITY_LIMITS.repairRoundsMax; round++) {
    const repairs = report.findings.filter(({ repair }) => repair !== undefined);
    if (repairs.length === 0) break;
    for (let at = 0; at < repairs.length; at += INTEGRITY_LIMITS.repairsPerWrite) {
      const some = repairs.slice(at, at + INTEGRITY_LIMITS.repairsPerWrite);
      await payload.store.write(async (write) => {
        for (const { repair, message } of some) await apply(write, repair!, message);
      });
    }
    repaired.push(...repairs);
    report = await check(payload, progress);
  }
  return { report, repaired };
}

async function apply(write: Writer, repair: Repair, reason: string): Promise<void> {
  if ("put" in repair) write.put(repair.put.key, repair.put.value);
  else await moveToQuarantine(write, repair.quarantine, reason);
}
