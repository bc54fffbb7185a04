import { pause } from "../../src/base/clock.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { FaultyLink, type LinkMode } from "../kit/faulty-link.ts";
import { TestDatabase } from "../kit/postgres.ts";
import { type Program, startProgram } from "../kit/program.ts";
import { MemberLoad } from "../support/member-load.ts";
import type { Proof } from "../support/proof.ts";

const NODES = 2;
const CLIENTS = 12;
/** Longer than anybody waits, so that every kind of answer is given. */
const SILENCE_MILLIS = LIMITS.databasePatienceMillis + 3_000;
/** What a client may wait: 15 s for its write, a little for reads before it, and what a busy machine adds. */
const CALL_MILLIS_MAX = LIMITS.databasePatienceMillis + 10_000;
const RESUMED_MILLIS_MAX = 15_000;

/** The network swallows everything between the members and the database, from the middle of a commit on. */
export const proof: Proof = {
  name: "postgres-silence",
  what: "answers of the database swallowed from a commit on: clients get 500 or 503 in time, nothing is lost or doubled",
  minutes: 2,
  async run({ length, seed, progress }) {
    const rounds = { quick: 2, usual: 4, long: 12 }[length];
    const database = await TestDatabase.create({ isForgetful: false });
    const link = await FaultyLink.before(database.port);
    const programs: Program[] = [];
    try {
      for (let i = 0; i < NODES; i++)
        programs.push(await startProgram(["--store", link.over(database.address("silence"))]));
      const load = new MemberLoad(
        programs.map(({ connectionString }) => ({ connectionString: () => connectionString })),
      );
      await load.prepare();
      load.start({ clients: CLIENTS, seed, leases: false });
      let slowest = 0;
      for (let round = 1; round <= rounds; round++) {
        await pause(1_500);
        const mode: LinkMode = round % 2 === 1 ? "swallow" : "blackhole";
        await link.setAtCommit(mode, "all");
        await pause(SILENCE_MILLIS / 2);
        for (const state of await readiness(programs))
          if (state.status !== 503) load.faults.push(`round ${round}: /readyz said ${state.text}`);
        await pause(SILENCE_MILLIS / 2);
        const healed = Date.now();
        link.set("carry");
        while (load.lastAcknowledged < healed && Date.now() - healed < 2 * RESUMED_MILLIS_MAX)
          await pause(20);
        const millis = Date.now() - healed;
        slowest = Math.max(slowest, millis);
        if (millis > RESUMED_MILLIS_MAX)
          load.faults.push(`round ${round}: service resumed ${millis} ms after the network was back`);
        await becomeReady(programs, load, round);
        progress(`round ${round} of ${rounds}: resumed after ${millis} ms, ${JSON.stringify(load.stats)}`);
      }
      await load.stop();
      await load.check();
      for (const { child } of programs) if (child.exitCode !== null) load.faults.push("a member ended");
      const { acknowledged, unanswered, busy, longestCallMillis } = load.stats;
      if (longestCallMillis > CALL_MILLIS_MAX)
        load.faults.push(`a client waited ${longestCallMillis} ms for an answer`);
      const summary =
        `${rounds} silences, ${acknowledged} acknowledged, ${busy} answered busy, ${unanswered} unknown, ` +
        `answered within ${longestCallMillis} ms, resumed within ${slowest} ms, ${load.faults.length} faults`;
      return { ok: load.faults.length === 0, summary: [summary, ...load.faults.slice(0, 10)].join("; ") };
    } finally {
      await Promise.all(programs.map((program) => program.stop("SIGKILL")));
      await link.close();
      await database.remove();
    }
  },
};

function readiness(programs: readonly Program[]): Promise<{ status: number; text: string }[]> {
  return Promise.all(
    programs.map(async ({ ports }) => {
      const reply = await fetch(`http://127.0.0.1:${ports.admin}/readyz`);
      return { status: reply.status, text: (await reply.text()).trim() };
    }),
  );
}

async function becomeReady(programs: readonly Program[], load: MemberLoad, round: number): Promise<void> {
  const began = Date.now();
  for (;;) {
    const states = await readiness(programs);
    const down = states.find(({ status }) => status !== 200);
    if (down === undefined) return;
    if (Date.now() - began > 2 * RESUMED_MILLIS_MAX) {
      load.faults.push(`round ${round}: /readyz still says ${down.text}`);
      return;
    }
    await pause(100);
  }
}
