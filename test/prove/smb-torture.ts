import { installMissing, thisSystem } from "../../scripts/test/programs.ts";
import { startSmbServer } from "../kit/smb-server.ts";
import { smbtorture, type TortureResult } from "../kit/smbtorture.ts";
import {
  MISSED_BY_DEFAULT,
  NOT_BY_DEFAULT,
  TORTURE_SUITES,
  type TortureSuite,
} from "../smb/torture-suites.ts";
import type { Proof } from "../support/proof.ts";

const NEEDED = [{ program: "smbtorture", pack: "samba-testsuite", why: "Samba's own tests of SMB servers" }];
/** What the second tier must reach; Samba passes 178 of it in the same settings. */
const B_MIN = 186;
/** Each on a server of its own; most of the time they wait. */
const AT_ONCE = 3;
const SUITE_MILLIS = 10 * 60_000;

interface Score {
  readonly row: TortureSuite;
  readonly result: TortureResult;
}

const total = (scores: readonly Score[], tier: string, of: (score: Score) => number): number =>
  scores.filter(({ row }) => row.tier === tier).reduce((sum, score) => sum + of(score), 0);

async function score(row: TortureSuite, isDefault: boolean): Promise<Score> {
  const { streams = "kept" } = row;
  const settings = isDefault ? {} : ({ acls: "enforced", streams } as const);
  const server = await startSmbServer({ signing: "enabled", ...settings });
  try {
    return {
      row,
      result: await smbtorture({ port: server.port, suite: row.suite, timeoutMillis: SUITE_MILLIS }),
    };
  } finally {
    await server.close();
  }
}

/** A suite holds when nothing fails but what is listed with its reason. */
function wrong({ row, result }: Score): string[] {
  const failed = [...result.failed, ...result.unfinished];
  return failed.filter((name) => !(name in row.misses));
}

/**
 * What a file server has passes suite by suite at least as against Samba, and more where Samba is known to be
 * wrong.
 */
function isBehind({ row, result }: Score): boolean {
  const { tier, samba, passesMore } = row;
  if (passesMore === true) return result.passed.length <= samba;
  return tier === "A" && result.passed.length < samba;
}

const isForDefault = ({ suite, isLong }: TortureSuite): boolean =>
  isLong !== true && !NOT_BY_DEFAULT.includes(suite);

const asByDefault = (row: TortureSuite): TortureSuite => ({
  ...row,
  misses: { ...row.misses, ...MISSED_BY_DEFAULT[row.suite] },
});

async function scoreAll(
  rows: readonly TortureSuite[],
  isDefault: boolean,
  progress: (line: string) => void,
): Promise<readonly Score[]> {
  const scores: Score[] = [];
  const next = rows.values();
  const lane = async (): Promise<void> => {
    for (const row of next) tell(await score(row, isDefault));
  };
  const tell = (done: Score): void => {
    scores.push(done);
    const { row } = done;
    const { passed, failed, skipped, unfinished } = done.result;
    progress(`${row.tier} ${row.suite}: ${passed.length} (Samba ${row.samba}), ${skipped.length} skipped`);
    for (const name of [...failed, ...unfinished])
      progress(`    ${name in row.misses ? "miss" : "FAIL"} ${name}: ${row.misses[name] ?? "not listed"}`);
    for (const name of Object.keys(row.misses).filter((miss) => passed.includes(miss)))
      progress(`    news ${name} passes and is listed as a miss`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return scores;
}

export const proof: Proof = {
  name: "smb-torture",
  what: "smbtorture passes suite by suite what it passes against Samba; every miss is known and has its reason",
  minutes: 3,
  async run({ length, progress }) {
    progress(installMissing(NEEDED, thisSystem));
    if (!thisSystem.has("smbtorture"))
      return { ok: true, summary: "not run: smbtorture could not be installed" };
    const rows = TORTURE_SUITES.filter(({ isLong }) => length === "long" || !isLong);
    const scores = await scoreAll(rows, false, progress);
    progress("and on a server as it is by default:");
    const byDefault = await scoreAll(rows.filter(isForDefault).map(asByDefault), true, progress);
    const passes = ({ result }: Score): number => result.passed.length;
    const [a, b] = [total(scores, "A", passes), total(scores, "B", passes)];
    const [sambaA, sambaB] = ["A", "B"].map((tier) => total(scores, tier, ({ row }) => row.samba));
    const failures = [...scores, ...byDefault].flatMap((one) =>
      wrong(one).map((name) => `${one.row.suite}.${name}`),
    );
    const summary = `tier A ${a} (Samba ${sambaA}), tier B ${b} (Samba ${sambaB})`;
    const behind = scores.filter(isBehind).map(({ row }) => row.suite);
    if (behind.length > 0)
      return { ok: false, summary: `${summary}; fewer than they should: ${behind.join(", ")}` };
    if (failures.length > 0) return { ok: false, summary: `${summary}; not listed: ${failures.join(", ")}` };
    return { ok: length !== "long" || b >= B_MIN, summary };
  },
};
