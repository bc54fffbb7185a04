import { pause } from "../../src/base/clock.ts";
import { seededRandom } from "../../src/base/random.ts";
import { TestDatabase } from "../kit/postgres.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { MemberLoad } from "../support/member-load.ts";
import type { Proof } from "../support/proof.ts";

const NODES = 3;
const CLIENTS = 12;
const SCHEMA = "kill";

/** A member is killed under load, again and again; the others go on, and what it held is gone in seconds. */
export const proof: Proof = {
  name: "postgres-member-kill",
  what: "a member killed with SIGKILL under load loses nothing, blocks no other, and holds nothing 5 seconds later",
  minutes: 1,
  async run({ length, seed, progress }) {
    const random = seededRandom(seed);
    const database = await TestDatabase.create({ isForgetful: false });
    const start = (): Promise<Program> => startProgram(["--store", database.address(SCHEMA)]);
    const programs: Program[] = [];
    try {
      for (let i = 0; i < NODES; i++) programs.push(await start());
      const load = new MemberLoad(
        programs.map((_, i) => ({ connectionString: () => programs[i]!.connectionString })),
      );
      await load.prepare();
      load.start({ clients: CLIENTS, seed, leases: false });
      let slowest = 0;
      const kills = { quick: 3, usual: 10, long: 50 }[length];
      for (let kill = 1; kill <= kills; kill++) {
        await pause(300 + random.fraction() * 700);
        const victim = Math.floor(random.fraction() * NODES);
        const { pid } = programs[victim]!;
        await programs[victim]!.stop("SIGKILL");
        const killed = Date.now();
        // Another takes its place meanwhile; the survivors do not wait for that.
        const successor = start();
        while (await holdsAnything(database, pid)) {
          if (Date.now() - killed > 15_000) break;
          await pause(50);
        }
        const millis = Date.now() - killed;
        programs[victim] = await successor;
        slowest = Math.max(slowest, millis);
        if (millis > 5_000) load.faults.push(`kill ${kill}: what the member held was there for ${millis} ms`);
        progress(`kill ${kill} of ${kills}: released after ${millis} ms, ${JSON.stringify(load.stats)}`);
      }
      await load.stop();
      await load.check();
      const { acknowledged, unanswered } = load.stats;
      const summary =
        `${kills} kills, ${acknowledged} acknowledged, ${unanswered} unanswered, ` +
        `released within ${slowest} ms, ${load.faults.length} faults`;
      return { ok: load.faults.length === 0, summary: [summary, ...load.faults.slice(0, 10)].join("; ") };
    } finally {
      await Promise.all(programs.map((program) => program.stop()));
      await database.remove();
    }
  },
};

/** Records in the ephemeral key space that belong to this process. */
async function holdsAnything(database: TestDatabase, pid: number): Promise<boolean> {
  const [row] = await database.query(
    `SELECT count(*)::int AS held FROM ${SCHEMA}.passing WHERE position('process-${pid}-'::bytea IN key) > 0`,
  );
  return Number(row!.held) > 0;
}
