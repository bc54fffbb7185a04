import { pause } from "../../src/base/clock.ts";
import { recordHistory } from "../history/record.ts";
import { TestDatabase } from "../kit/postgres.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { MemberLoad } from "../support/member-load.ts";
import type { Proof, ProofLength } from "../support/proof.ts";

const NODES = 3;
const CLIENTS = 16;
/** In each of six scenes: blobs, rows, pages, leases, messages, byte-range locks over SMB and REST. */
const CLIENTS_PER_SCENE = 5;
const SECONDS = { quick: 10, usual: 30, long: 120 };
const HISTORIES = { quick: 1, usual: 2, long: 10 };
const OPERATIONS = { quick: 1_000, usual: 5_600, long: 5_600 };

/**
 * Three members on one database. First 16 clients that choose a member for each call and keep book; then
 * clients of every service, SMB among them, spread over the members, whose histories are judged key by key.
 */
export const proof: Proof = {
  name: "postgres-members",
  what: "three members on one database: exact counters, one winner per ETag race and lease, histories linearizable",
  minutes: 1,
  async run({ length, seed, progress }) {
    const database = await TestDatabase.create({ isForgetful: false });
    const programs: Program[] = [];
    try {
      for (let i = 0; i < NODES; i++)
        programs.push(await startProgram(["--store", database.address("members")]));
      const load = new MemberLoad(
        programs.map(({ connectionString }) => ({ connectionString: () => connectionString })),
      );
      await load.prepare();
      load.start({ clients: CLIENTS, seed, leases: true });
      for (let second = 0; second < SECONDS[length]; second += 5) {
        await pause(5_000);
        progress(JSON.stringify(load.stats));
      }
      await load.stop();
      await load.check();
      const { acknowledged, refused, unanswered } = load.stats;
      // Nothing failed here but what the protocol refuses: any other answer is a fault.
      if (unanswered > 0) load.faults.push(`${unanswered} calls had no answer`);
      const histories = await judge({ programs, length, seed, progress, faults: load.faults });
      const summary =
        `${acknowledged} acknowledged, ${refused} refused; ${histories} operations in histories; ` +
        `${load.faults.length} faults`;
      return { ok: load.faults.length === 0, summary: [summary, ...load.faults.slice(0, 10)].join("; ") };
    } finally {
      await Promise.all(programs.map((program) => program.stop()));
      await database.remove();
    }
  },
};

/** Returns how many operations were recorded. */
async function judge(plan: {
  readonly programs: readonly Program[];
  readonly length: ProofLength;
  readonly seed: number;
  readonly faults: string[];
  progress(text: string): void;
}): Promise<number> {
  const { programs, length, seed, faults, progress } = plan;
  const subject = {
    portsOf: (client: number) => programs[client % NODES]!.ports,
    kill: () => Promise.reject(new Error("nobody is killed here")),
  };
  let operations = 0;
  const count = HISTORIES[length];
  for (let history = 0; history < count && faults.length === 0; history++) {
    const outcome = await recordHistory({
      subject,
      name: `members${history}`,
      seed: seed + history * 7_919,
      clients: CLIENTS_PER_SCENE,
      operations: OPERATIONS[length],
      kill: "one",
      kills: 0,
      isAnybodyKilled: false,
    });
    operations += outcome.operations;
    if (outcome.fault !== undefined) faults.push(`history ${history}: ${outcome.fault}`);
    if (outcome.unacknowledged > 0)
      faults.push(`history ${history}: ${outcome.unacknowledged} calls had no answer`);
    progress(`history ${history + 1} of ${count}: ${operations} operations`);
  }
  return operations;
}
