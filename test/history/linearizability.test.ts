import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { seedOfThisRun } from "../support/seed.ts";
import { INFINITE, type LeaseOperation, leaseLock } from "./lease-lock.ts";
import { checkHistory, type Operation, printStory, type Sequential } from "./linearizability.ts";
import { type MessageOperation, message, missedMessage } from "./message.ts";
import { LEASE_MUTANTS, MESSAGE_MUTANTS, type Mutant, REGISTER_MUTANTS } from "./mutants.ts";
import { type RegisterOperation, registers, reusedEtag } from "./registers.ts";
import { leaseHistory, messageHistory, registerHistory } from "./simulate.ts";

const HISTORIES = 150;
const NOTHING_UNACKNOWLEDGED = { unacknowledgedGets: [], tolerance: 0 };

/** Every order there is, tried one after the other: slow, and too simple to be wrong. */
function hasLegalOrder<State, Op extends Operation>(
  left: readonly Op[],
  object: Sequential<State, Op>,
  state: State,
): boolean {
  if (left.every(({ end }) => end === INFINITE)) return true;
  return left.some((one) => {
    if (left.some((other) => other !== one && other.end < one.start)) return false;
    const next = object.step(state, one);
    if (next === undefined) return false;
    return hasLegalOrder(
      left.filter((other) => other !== one),
      object,
      next,
    );
  });
}

function smallHistory(random: Random): RegisterOperation[] {
  const pick = (count: number): number => Math.floor(random.fraction() * count);
  return Array.from({ length: 2 + pick(6) }, (_, client): RegisterOperation => {
    const start = pick(12);
    const end = pick(8) === 0 ? INFINITE : start + 1 + pick(6);
    const value = `v${pick(4)}`;
    if (pick(2) === 0) {
      const found = [pick(5) === 0 ? undefined : { value }];
      return {
        client,
        start,
        end,
        input: { do: "read", keys: ["k"] },
        output: end === INFINITE ? undefined : { found },
      };
    }
    const output = end === INFINITE ? undefined : { done: [undefined] };
    return {
      client,
      start,
      end,
      input: { do: "change", changes: [{ kind: "put", key: "k", value }] },
      output,
    };
  });
}

suite("the checker of histories", () => {
  test("agrees with trying every order, on small histories of any kind", (t) => {
    const seed = seedOfThisRun(t);
    let legal = 0;
    for (let i = 0; i < 4_000; i++) {
      const history = smallHistory(seededRandom(seed + i * 7_919));
      const object = registers(history);
      const expected = hasLegalOrder(history, object, object.initial);
      if (expected) legal++;
      assert.equal(checkHistory(history, object).legal, expected, JSON.stringify(history));
    }
    assert.ok(legal > 200 && legal < 3_800, `${legal} legal`);
  });

  test("gives up loudly when it runs out of steps", () => {
    const writes = Array.from(
      { length: 12 },
      (_, client): RegisterOperation => ({
        client,
        start: 0,
        end: 10,
        input: { do: "change", changes: [{ kind: "put", key: "k", value: `v${client}` }] },
        output: { done: [undefined] },
      }),
    );
    const impossible: RegisterOperation = {
      client: 12,
      start: 11,
      end: 12,
      input: { do: "read", keys: ["k"] },
      output: { found: [undefined] },
    };
    const history = [...writes, impossible];
    assert.equal(checkHistory(history, registers(history), 100).legal, undefined);
    const verdict = checkHistory(history, registers(history));
    assert.equal(verdict.legal, false);
    if (verdict.legal === false) assert.match(printStory(verdict.story), /none of these could come next/);
  });
});

suite("legal histories", () => {
  for (const [name, keys, unacknowledged] of [
    ["one register", ["a"], 0],
    ["one register, replies lost", ["a"], 0.03],
    ["a partition of rows", ["a", "b", "c", "d"], 0],
    ["a partition of rows, replies lost", ["a", "b", "c", "d"], 0.03],
  ] as const) {
    test(`are let through: ${name}`, (t) => {
      const seed = seedOfThisRun(t);
      for (let i = 0; i < HISTORIES; i++) {
        const random = seededRandom(seed + i);
        const history = registerHistory({ random, clients: 6, operations: 150, unacknowledged }, keys);
        assert.equal(reusedEtag(history), undefined);
        assertLegal(history, registers(history));
      }
    });
  }

  for (const unacknowledged of [0, 0.03]) {
    test(`are let through: a lease, ${unacknowledged} of the replies lost`, (t) => {
      const seed = seedOfThisRun(t);
      for (let i = 0; i < HISTORIES; i++) {
        const random = seededRandom(seed + i);
        assertLegal(
          leaseHistory({ random, clients: 5, operations: 150, unacknowledged }),
          leaseLock(undefined),
        );
      }
    });
  }

  test("are let through: messages", (t) => {
    const seed = seedOfThisRun(t);
    for (let i = 0; i < HISTORIES; i++) {
      assertLegal(messageHistory({ random: seededRandom(seed + i) }), message(NOTHING_UNACKNOWLEDGED));
    }
  });

  test("a finite lease may be taken by another once its time may be over, and not before", () => {
    const acquire = (id: string, start: number, end: number, isDone: boolean): LeaseOperation => ({
      client: 0,
      start,
      end,
      input: { do: "acquire", id, length: 100 },
      output: isDone ? { done: true } : { refused: true },
    });
    const legal = (...history: LeaseOperation[]): boolean =>
      checkHistory(history, leaseLock(undefined)).legal === true;
    assert.ok(!legal(acquire("a", 0, 10, true), acquire("b", 80, 99, true)));
    assert.ok(legal(acquire("a", 0, 10, true), acquire("b", 80, 105, true)));
    assert.ok(legal(acquire("a", 0, 10, true), acquire("b", 105, 109, false)));
    assert.ok(!legal(acquire("a", 0, 10, true), acquire("b", 111, 120, false)));
  });
});

function assertLegal<State, Op extends Operation>(
  history: readonly Op[],
  object: Sequential<State, Op>,
): void {
  const verdict = checkHistory(history, object);
  assert.notEqual(verdict.legal, undefined, "undecided");
  if (verdict.legal === false) assert.fail(printStory(verdict.story));
}

suite("every mutant is caught", () => {
  function mutateAll<State, Op extends Operation>(
    mutants: Readonly<Record<string, Mutant<Op>>>,
    make: (random: Random) => readonly Op[],
    objectOf: (history: readonly Op[]) => Sequential<State, Op>,
  ): void {
    for (const [name, mutant] of Object.entries(mutants)) {
      test(name, (t) => {
        const seed = seedOfThisRun(t);
        let mutants = 0;
        for (let i = 0; i < HISTORIES * 3 && mutants < HISTORIES; i++) {
          const random = seededRandom(seed + i * 31);
          const wrong = mutant(make(random), random);
          if (wrong === undefined) continue;
          mutants++;
          assert.equal(checkHistory(wrong, objectOf(wrong)).legal, false, `seed ${seed}, history ${i}`);
        }
        assert.ok(mutants > HISTORIES / 4, `only ${mutants} mutants`);
        t.diagnostic(`${mutants} mutants, all caught`);
      });
    }
  }

  mutateAll(
    REGISTER_MUTANTS,
    (random) => {
      const unacknowledged = random.fraction() < 0.5 ? 0 : 0.02;
      return registerHistory({ random, clients: 5, operations: 80, unacknowledged }, ["a", "b", "c"]);
    },
    (history) => registers(history),
  );
  mutateAll(
    LEASE_MUTANTS,
    (random) => leaseHistory({ random, clients: 5, operations: 80, unacknowledged: 0 }),
    () => leaseLock(undefined),
  );
  mutateAll(
    MESSAGE_MUTANTS,
    (random) => messageHistory({ random }),
    () => message(NOTHING_UNACKNOWLEDGED),
  );

  test("a Get that overlooks a message", () => {
    const put: MessageOperation = {
      client: 0,
      start: 0,
      end: 1,
      input: { do: "put", hiddenFor: 0 },
      output: { done: true, receipt: "r" },
    };
    const messages = new Map([["m", [put]]]);
    const get = (start: number, asked: number, ids: readonly string[]) => ({
      start,
      end: start + 1,
      asked,
      ids,
    });
    assert.equal(missedMessage([get(0.5, 1, [])], messages, NOTHING_UNACKNOWLEDGED), undefined);
    assert.equal(missedMessage([get(2, 1, ["other"])], messages, NOTHING_UNACKNOWLEDGED), undefined);
    assert.match(missedMessage([get(2, 1, [])], messages, NOTHING_UNACKNOWLEDGED) ?? "", /^m by the Get/);
  });

  test("one ETag for two values", () => {
    const put = (value: string): RegisterOperation => ({
      client: 0,
      start: 0,
      end: 1,
      input: { do: "change", changes: [{ kind: "put", key: "a", value }] },
      output: { done: ["e"] },
    });
    assert.equal(reusedEtag([put("x")]), undefined);
    assert.equal(reusedEtag([put("x"), put("y")]), "e");
  });
});
