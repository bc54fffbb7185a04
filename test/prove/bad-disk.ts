import { installMissing, NEEDED, thisSystem } from "../../scripts/test/programs.ts";
import { MIB } from "../../src/base/limits.ts";
import { CALLS, countCalls, type Fault, runWithFault, whyNoStrace } from "../crash/bad-disk.ts";
import { fillDisk } from "../crash/full-disk.ts";
import { add, isClean, newStats, printStats } from "../crash/ledger/cell.ts";
import type { Proof } from "../support/proof.ts";
import { smallDisk } from "../support/small-disk.ts";

const NEEDED_HERE = NEEDED.filter(({ program }) => program === "strace" || program === "mkfs.ext4");
/** In the quick run, so many of each call, spread over all of them. */
const QUICK_OF_EACH = 2;
/** A full disk fails writes and the syncs that find it out; a broken one fails anything. */
const CAN_BE_FULL = ["pwrite64", "writev", "pwritev", "ftruncate", "fdatasync", "fsync"];
const FULL_DISK_BYTES = 48 * MIB;

export const proof: Proof = {
  name: "bad-disk",
  what: "whichever write, sync or read fails, nothing false is acknowledged; a full disk refuses, and recovers",
  minutes: 6,
  async run({ length, progress, seed, directory }) {
    progress(installMissing(NEEDED_HERE, thisSystem));
    const missing = whyNoStrace();
    if (missing !== undefined) return { ok: true, isNotRun: true, summary: `strace is needed: ${missing}` };
    const { counts, acknowledged } = await countCalls(directory, seed);
    const syncs = counts.get("syncs of records") ?? 0;
    progress(
      `a healthy run: ${acknowledged} acknowledged; ${[...counts].map((it) => it.join(" ")).join(", ")}`,
    );
    if (syncs < acknowledged) {
      const summary = `one after the other, ${acknowledged} writes were acknowledged with ${syncs} syncs`;
      return { ok: false, summary };
    }
    const totals = newStats();
    const reactions = new Map<string, number>();
    const faults = faultsOf(counts, length === "quick");
    let met = 0;
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let index = next++; index < faults.length && isClean(totals); index = next++) {
        const fault = faults[index]!;
        const { stats, isInjected, reaction, refused } = await runWithFault(directory, fault, seed);
        add(totals, stats);
        if (isInjected) met++;
        const word = reaction === "went on" && refused > 0 ? "refused" : reaction;
        if (isInjected) reactions.set(word, (reactions.get(word) ?? 0) + 1);
        if (fault.error === "EIO" && fault.call === "fdatasync" && isInjected && reaction === "went on") {
          totals.troubles.push("it went on after a sync had failed");
        }
        if (!isClean(totals)) {
          totals.troubles.push(`${fault.call} ${fault.when} answered with ${fault.error}`);
        }
        if (index % 20 === 19) progress(`${index + 1} of ${faults.length} faults, ${printStats(totals)}`);
      }
    };
    await Promise.all([lane(), lane()]);
    const told = [...reactions].map(([word, count]) => `${word} ${count}`).join(", ");
    const full = await fullDisk(seed);
    if (met < faults.length / 2) totals.troubles.push(`only ${met} of ${faults.length} faults came`);
    return {
      ok: isClean(totals) && full.ok,
      summary: `${met} faults (${told}), ${printStats(totals)}; full disk: ${full.summary}`,
    };
  },
};

function faultsOf(counts: ReadonlyMap<string, number>, isQuick: boolean): Fault[] {
  return CALLS.flatMap((call) => {
    const count = counts.get(call) ?? 0;
    const errors = CAN_BE_FULL.includes(call) ? (["EIO", "ENOSPC"] as const) : (["EIO"] as const);
    const step = isQuick ? Math.max(1, count / QUICK_OF_EACH) : 1;
    const places: number[] = [];
    for (let when = step; when <= count + 0.01; when += step) places.push(Math.floor(when));
    return errors.flatMap((error) => places.map((when) => ({ call, error, when })));
  });
}

async function fullDisk(seed: number): Promise<{ ok: boolean; summary: string }> {
  const disk = smallDisk("ext4", FULL_DISK_BYTES);
  if (typeof disk === "string") return { ok: true, summary: `not run, ${disk}` };
  try {
    return await fillDisk(disk.path, seed);
  } finally {
    disk.remove();
  }
}
