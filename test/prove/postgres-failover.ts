import { pause } from "../../src/base/clock.ts";
import { TestDatabase } from "../kit/postgres.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { MemberLoad } from "../support/member-load.ts";
import type { Proof } from "../support/proof.ts";

const CLIENTS = 12;
const SETTINGS = [
  "wal_keep_size = 512MB",
  "wal_receiver_status_interval = 1s",
  "wal_retrieve_retry_interval = 200ms",
];

/** The primary falls over under load, its synchronous standby takes over; the members are not touched. */
export const proof: Proof = {
  name: "postgres-failover",
  what: "primary killed and its synchronous standby promoted under load: nothing acknowledged is lost, service resumes",
  minutes: 1,
  async run({ length, seed, progress }) {
    const rounds = { quick: 2, usual: 5, long: 20 }[length];
    const { load, slowest } = await fallOver({ rounds, seed, progress, isSynchronous: true });
    const { acknowledged, unanswered } = load.stats;
    const summary =
      `${rounds} failovers, ${acknowledged} acknowledged, ${unanswered} unanswered, ` +
      `resumed within ${slowest} ms, ${load.faults.length} faults`;
    if (load.faults.length > 0)
      return { ok: false, summary: [summary, ...load.faults.slice(0, 10)].join("; ") };
    // The same with a primary that does not wait for its standby: it has to be seen losing what it
    // acknowledged.
    const control = await fallOver({ rounds: 1, seed, progress, isSynchronous: false });
    const lost = control.load.faults.filter((fault) => fault.includes("acknowledged")).length;
    const caught = lost > 0 ? `caught, ${lost} promises broken` : "NOT caught";
    return { ok: lost > 0, summary: `${summary}; control with an asynchronous standby: ${caught}` };
  },
};

async function fallOver(plan: {
  readonly rounds: number;
  readonly seed: number;
  readonly isSynchronous: boolean;
  progress(text: string): void;
}): Promise<{ readonly load: MemberLoad; readonly slowest: number }> {
  const { rounds, seed, isSynchronous, progress } = plan;
  let primary = await TestDatabase.create({ isForgetful: false, settings: SETTINGS });
  let standby = await TestDatabase.empty();
  const programs: Program[] = [];
  try {
    const address = `postgres://holdfast@${primary.host},${standby.host}/postgres?schema=failover&connect_timeout=2`;
    await attach(primary, standby, isSynchronous);
    for (let i = 0; i < 2; i++) programs.push(await startProgram(["--store", address]));
    const load = new MemberLoad(
      programs.map(({ connectionString }) => ({ connectionString: () => connectionString })),
    );
    await load.prepare();
    load.start({ clients: CLIENTS, seed, leases: false });
    let slowest = 0;
    for (let round = 1; round <= rounds; round++) {
      await pause(1_500);
      if (!isSynchronous) await fallBehind(standby);
      await primary.crash();
      [primary, standby] = [standby, primary];
      await promote(primary);
      const promoted = Date.now();
      while (load.lastAcknowledged < promoted && Date.now() - promoted < 30_000) await pause(20);
      const millis = Date.now() - promoted;
      slowest = Math.max(slowest, millis);
      if (millis > 10_000)
        load.faults.push(`round ${round}: service resumed ${millis} ms after the promotion`);
      if (round < rounds) await attach(primary, standby, isSynchronous);
      progress(`round ${round} of ${rounds}: resumed after ${millis} ms, ${JSON.stringify(load.stats)}`);
    }
    await load.stop();
    await load.check();
    for (const { child } of programs) if (child.exitCode !== null) load.faults.push("a member ended");
    return { load, slowest };
  } finally {
    await Promise.all(programs.map((program) => program.stop("SIGKILL")));
    await primary.remove();
    await standby.remove();
  }
}

/** The link to an asynchronous standby is down for a moment, which nobody notices: the primary goes on. */
async function fallBehind(standby: TestDatabase): Promise<void> {
  await standby.query("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()");
  await pause(500);
}

/**
 * The standby follows, and from the moment this resolves no commit is answered without it, if it is
 * synchronous.
 */
async function attach(primary: TestDatabase, standby: TestDatabase, isSynchronous: boolean): Promise<void> {
  await standby.follow(primary, SETTINGS);
  const names = isSynchronous ? "*" : "";
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`, "SELECT pg_reload_conf()");
  const wanted = isSynchronous ? "sync" : "async";
  for (;;) {
    const [row] = await primary.query(
      `SELECT count(*)::int AS count FROM pg_stat_replication WHERE sync_state = '${wanted}'`,
    );
    if (Number(row!.count) > 0) return;
    await pause(50);
  }
}

/** Alone for now: waiting for a standby that is not there would stop all writing. */
async function promote(standby: TestDatabase): Promise<void> {
  await standby.query(
    "ALTER SYSTEM SET synchronous_standby_names = ''",
    "SELECT pg_reload_conf()",
    "SELECT pg_promote(true, 30)",
  );
}
