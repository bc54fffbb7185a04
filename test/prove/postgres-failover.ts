import { pause } from "../../src/base/clock.ts";
import { TestDatabase } from "../kit/postgres.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { NodeLoad } from "../support/node-load.ts";
import type { Proof } from "../support/proof.ts";

const CLIENTS = 12;
const SETTINGS = [
  "wal_keep_size = 512MB",
  "wal_receiver_status_interval = 1s",
  "wal_retrieve_retry_interval = 200ms",
];

/** The primary falls over under load, its synchronous standby takes over; the nodes are not touched. */
export const proof: Proof = {
  name: "postgres-failover",
  what: "primary killed and its synchronous standby promoted under load: nothing acknowledged is lost, service resumes",
  async run({ quick, seed, progress }) {
    let primary = await TestDatabase.create({ isForgetful: false, settings: SETTINGS });
    let standby = await TestDatabase.empty();
    const programs: Program[] = [];
    try {
      const address = `postgres://holdfast@${primary.host},${standby.host}/postgres?schema=failover&connect_timeout=2`;
      await attach(primary, standby);
      for (let i = 0; i < 2; i++) programs.push(await startProgram(["--store", address]));
      const load = new NodeLoad(
        programs.map(({ connectionString }) => ({ connectionString: () => connectionString })),
      );
      await load.prepare();
      load.start({ clients: CLIENTS, seed, leases: false });
      const rounds = quick ? 3 : 20;
      let slowest = 0;
      for (let round = 1; round <= rounds; round++) {
        await pause(1_500);
        await primary.crash();
        [primary, standby] = [standby, primary];
        await promote(primary);
        const promoted = Date.now();
        while (load.lastAcknowledged < promoted && Date.now() - promoted < 30_000) await pause(20);
        const millis = Date.now() - promoted;
        slowest = Math.max(slowest, millis);
        if (millis > 10_000)
          load.faults.push(`round ${round}: service resumed ${millis} ms after the promotion`);
        await attach(primary, standby);
        progress(`round ${round} of ${rounds}: resumed after ${millis} ms, ${JSON.stringify(load.figures)}`);
      }
      await load.stop();
      await load.check();
      for (const { child } of programs) if (child.exitCode !== null) load.faults.push("a node ended");
      const { acknowledged, unanswered } = load.figures;
      const figure =
        `${rounds} failovers, ${acknowledged} acknowledged, ${unanswered} unanswered, ` +
        `resumed within ${slowest} ms, ${load.faults.length} faults`;
      return { ok: load.faults.length === 0, figure: [figure, ...load.faults.slice(0, 10)].join("; ") };
    } finally {
      await Promise.all(programs.map((program) => program.stop("SIGKILL")));
      await primary.remove();
      await standby.remove();
    }
  },
};

/** The standby follows, and from the moment this resolves no commit is answered without it. */
async function attach(primary: TestDatabase, standby: TestDatabase): Promise<void> {
  await standby.follow(primary, SETTINGS);
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
  for (;;) {
    const [row] = await primary.query(
      "SELECT count(*)::int AS count FROM pg_stat_replication WHERE sync_state = 'sync'",
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
