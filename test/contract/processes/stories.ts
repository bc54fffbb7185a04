import assert from "node:assert/strict";
import { pause } from "../../../src/base/clock.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { Fleet, type Member } from "./fleet.ts";

/** What several processes on one store do together: short in the tests, long in the proofs. */
export async function onFleet<T>(
  count: number,
  story: (members: Member[], fleet: Fleet) => Promise<T>,
): Promise<T> {
  const { fleet, members } = await Fleet.start(count);
  try {
    return await story(members, fleet);
  } finally {
    await fleet.stop();
  }
}

/**
 * Writes a token in one process and reads it in another, as soon as it was acknowledged. Answers stale reads.
 */
export function passTokens(rounds: number): Promise<number> {
  return onFleet(2, async (members) => {
    let stale = 0;
    for (let round = 0; round < rounds; round++) {
      // First from one side only, so that it keeps the write lock; then from both alternately.
      const writer = members[round < rounds / 2 ? 0 : round % 2]!;
      const reader = members[writer === members[0] ? 1 : 0]!;
      await writer.call({ do: "put", key: "token", value: String(round) });
      if ((await reader.call({ do: "get", key: "token" })) !== String(round)) stale++;
    }
    return stale;
  });
}

/** Two processes count while another one opens the store and leaves it. Answers how often. */
export function visitWhileOthersCount(times: number): Promise<number> {
  return onFleet(2, async (members, fleet) => {
    let isDone = false;
    const counting = Promise.all(
      members.map((member) => member.call({ do: "count", key: "n", times, writers: 8 })),
    ).finally(() => {
      isDone = true;
    });
    // Deaths are checked below; until then they must not count as unhandled rejections.
    counting.catch(() => {});
    const guest = await fleet.add();
    let visits = 0;
    for (; !isDone; visits += 10) await guest.call({ do: "reopen", times: 10 });
    await counting;
    const judge = await fleet.add();
    assert.equal(await judge.call({ do: "get", key: "n" }), String(2 * times));
    for (const { owner } of members) {
      assert.equal(await judge.call({ do: "get", key: `n of ${owner}` }), String(times));
    }
    return visits;
  });
}

/**
 * Kills one process after another while all of them count, and judges the counters. Answers figures in words.
 */
export function killOneByOne({ kills, seed }: { kills: number; seed: number }): Promise<string> {
  const random = seededRandom(seed);
  const writers = 8;
  return onFleet(3, async (first, fleet) => {
    const members = [...first];
    const everyMember = [...first];
    const counting = (member: Member): void => {
      const count = { do: "count", key: "n", times: 1_000_000, writers, isReported: true } as const;
      void member.call(count).catch(() => {});
    };
    members.forEach(counting);
    for (let kill = 0; kill < kills; kill++) {
      const at = Math.floor(random.fraction() * members.length);
      const victim = members[at]!;
      await acknowledgements(victim, Math.floor(random.fraction() * 60));
      // Anywhere in its next commit, not only right after one.
      await pause(random.fraction() * 5);
      await victim.kill();
      // The others go on without it.
      await Promise.all(
        members.filter((member) => member !== victim).map((member) => acknowledgements(member, 5)),
      );
      members[at] = await fleet.add();
      everyMember.push(members[at]!);
      counting(members[at]!);
    }
    await Promise.all(members.map((member) => member.kill()));
    return judgeCounters(await fleet.add(), everyMember, writers);
  });
}

function acknowledgements(member: Member, more: number): Promise<void> {
  const goal = member.acknowledged.length + more;
  return new Promise((resolve) => {
    member.onAcknowledged = () => {
      if (member.acknowledged.length >= goal) resolve();
    };
    member.onAcknowledged();
  });
}

async function judgeCounters(
  judge: Member,
  everyMember: readonly Member[],
  writers: number,
): Promise<string> {
  const read = async (key: string): Promise<number> => Number((await judge.call({ do: "get", key })) ?? 0);
  const acknowledged = everyMember.flatMap((member) => member.acknowledged);
  assert.equal(new Set(acknowledged).size, acknowledged.length, "no value was acknowledged twice");
  const total = await read("n");
  const highest = acknowledged.reduce((most, value) => Math.max(most, value), 0);
  assert.ok(total >= acknowledged.length && total >= highest, "an acknowledged write is lost");
  assert.ok(
    total <= acknowledged.length + everyMember.length * writers,
    "a write happened that no process made",
  );
  let sum = 0;
  for (const { owner, acknowledged: own } of everyMember) {
    const count = await read(`n of ${owner}`);
    assert.ok(count >= own.length && count <= own.length + writers, `${owner}: ${own.length}, ${count}`);
    sum += count;
  }
  assert.equal(sum, total, "both counters of a transaction moved, or none");
  return `${everyMember.length} killed, ${acknowledged.length} acknowledged, counter at ${total}, 0 lost`;
}
