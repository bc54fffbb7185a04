import { pause } from "../../src/base/clock.ts";
import { seededRandom } from "../../src/base/random.ts";
import type { WirePorts } from "../support/wire-client.ts";
import { BlobScene } from "./scenes/blobs.ts";
import { LeaseScene } from "./scenes/leases.ts";
import { LockScene } from "./scenes/locks.ts";
import { MessageScene } from "./scenes/messages.ts";
import { PageScene } from "./scenes/pages.ts";
import { RowScene } from "./scenes/rows.ts";
import { Recorder, type Scene, type Stage } from "./scenes/stage.ts";

/** What is watched: one program, or several members that share a database. */
export interface Subject {
  /** Where a client finds the services; while it is down, where it found them last. */
  portsOf(client: number): WirePorts & { readonly smb: number };
  /** Kills one of the processes that serve, or all; what does not come back by itself is started again. */
  kill(which: "one" | "all", choice: number): Promise<void>;
}

/**
 * One history: clients of every service at work on the product at once, killed in between, and the judgement.
 */
export interface HistoryPlan {
  readonly subject: Subject;
  readonly name: string;
  readonly seed: number;
  /** In each scene. */
  readonly clients: number;
  /** In all scenes together; a Get that brings several messages is one. */
  readonly operations: number;
  /** How often, and whether one of the serving processes or everything. */
  readonly kills: number;
  readonly kill: "one" | "all";
  /** Also by somebody else: then there are no SMB clients, who lose with a process what it held for them. */
  readonly isAnybodyKilled: boolean;
}

export interface HistoryOutcome {
  readonly operations: number;
  readonly unacknowledged: number;
  readonly kills: number;
  readonly fault: string | undefined;
}

export async function recordHistory(plan: HistoryPlan): Promise<HistoryOutcome> {
  const { subject, name, clients } = plan;
  const random = seededRandom(plan.seed);
  const stage: Stage = { name, random, unacknowledged: 0 };
  const scenes: Scene[] = [
    new BlobScene(),
    new RowScene(),
    new PageScene(),
    new LeaseScene(),
    new MessageScene(),
    ...(plan.isAnybodyKilled ? [] : [new LockScene((client) => subject.portsOf(client).smb)]),
  ];
  const director = new Recorder(stage, () => subject.portsOf(0));
  for (const scene of scenes) await scene.prepare(director);
  const killer = new Killer(plan);
  let acts = 0;
  const play = async (scene: Scene, number: number): Promise<void> => {
    const client = new Recorder(stage, () => subject.portsOf(number));
    try {
      while (acts < plan.operations) {
        killer.see(acts++);
        await scene.act(client, number);
      }
    } finally {
      client.close();
    }
  };
  const plays = scenes.flatMap((scene, index) =>
    Array.from({ length: clients }, (_, client) => play(scene, index * clients + client)),
  );
  await Promise.all([...plays, killer.work()]);
  for (const scene of scenes) await scene.finish(director);
  director.close();
  const judged = scenes.map((scene) => scene.judge());
  return {
    operations: judged.reduce((sum, { operations }) => sum + operations, 0),
    unacknowledged: stage.unacknowledged,
    kills: plan.kills,
    fault: judged.find(({ fault }) => fault !== undefined)?.fault,
  };
}

/** Kills when its share of the operations has been begun, so that the deaths are spread over the history. */
class Killer {
  readonly #plan: HistoryPlan;
  readonly #moments: number[];
  #due = 0;
  #isOver = false;

  constructor(plan: HistoryPlan) {
    this.#plan = plan;
    const random = seededRandom(plan.seed + 1);
    const share = plan.operations / (plan.kills + 1);
    this.#moments = Array.from({ length: plan.kills }, (_, i) =>
      Math.floor(share * (i + 0.5 + random.fraction())),
    );
  }

  see(acts: number): void {
    if (acts >= (this.#moments[this.#due] ?? Number.POSITIVE_INFINITY)) this.#due++;
    if (acts >= this.#plan.operations - 1) this.#isOver = true;
  }

  async work(): Promise<void> {
    const { subject, kill, seed } = this.#plan;
    const random = seededRandom(seed + 2);
    for (let done = 0; done < this.#moments.length; ) {
      if (this.#due <= done && !this.#isOver) {
        await pause(1);
        continue;
      }
      done++;
      await subject.kill(kill, random.fraction());
    }
  }
}
