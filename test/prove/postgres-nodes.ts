import { pause } from "../../src/base/clock.ts";
import { TestDatabase } from "../kit/postgres.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { NodeLoad } from "../support/node-load.ts";
import type { Proof } from "../support/proof.ts";

const NODES = 3;
const CLIENTS = 16;

/** Three nodes on one database, 16 clients that choose a node for each call. */
export const proof: Proof = {
  name: "postgres-nodes",
  what: "three nodes on one database: exact counters, one winner per ETag race and lease, nothing lost or delivered twice",
  async run({ quick, seed, progress }) {
    const database = await TestDatabase.create({ isForgetful: false });
    const programs: Program[] = [];
    try {
      for (let i = 0; i < NODES; i++)
        programs.push(await startProgram(["--store", database.address("nodes")]));
      const load = new NodeLoad(
        programs.map(({ connectionString }) => ({ connectionString: () => connectionString })),
      );
      await load.prepare();
      load.start({ clients: CLIENTS, seed, leases: true });
      for (let second = 0; second < (quick ? 15 : 120); second += 5) {
        await pause(5_000);
        progress(JSON.stringify(load.figures));
      }
      await load.stop();
      await load.check();
      const { acknowledged, refused, unanswered } = load.figures;
      // Nothing failed here but what the protocol refuses: any other answer is a fault.
      if (unanswered > 0) load.faults.push(`${unanswered} calls had no answer`);
      const figure = `${acknowledged} acknowledged, ${refused} refused, ${load.faults.length} faults`;
      return { ok: load.faults.length === 0, figure: [figure, ...load.faults.slice(0, 10)].join("; ") };
    } finally {
      await Promise.all(programs.map((program) => program.stop()));
      await database.remove();
    }
  },
};
