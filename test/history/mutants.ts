import assert from "node:assert/strict";
import type { Random } from "../../src/base/random.ts";
import { INFINITE, type LeaseOperation, leaseLock } from "./lease-lock.ts";
import { checkHistory, type Operation } from "./linearizability.ts";
import type { MessageOperation } from "./message.ts";
import type { Change, RegisterOperation } from "./registers.ts";

/** Each makes a history that no single copy could have produced, wherever in the history it strikes. */
export type Mutant<Op> = (history: readonly Op[], random: Random) => Op[] | undefined;

const last = <T>(of: readonly T[]): T => of.at(-1)!;
const endOf = (history: readonly Operation[]): number =>
  Math.max(0, ...history.map(({ start, end }) => (end === INFINITE ? start : end)));
const isHeard = ({ end }: Operation): boolean => end !== INFINITE;

interface Written {
  readonly key: string;
  readonly value: string;
  readonly etag: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly size: number;
}

function acknowledged(history: readonly RegisterOperation[]): Written[] {
  return history.flatMap(({ start, end, input, output }) =>
    input.do === "change" && output !== undefined && "done" in output
      ? input.changes.flatMap((change, index) =>
          change.kind === "put"
            ? [
                {
                  key: change.key,
                  value: change.value,
                  etag: output.done[index],
                  start,
                  end,
                  size: input.changes.length,
                },
              ]
            : [],
        )
      : [],
  );
}

/** A pair of acknowledged writes of one key, the first over before the second began. */
function overwritten(history: readonly RegisterOperation[], random: Random): [Written, Written] | undefined {
  const writes = acknowledged(history);
  const pairs = writes.flatMap((one) =>
    writes
      .filter((two) => two.key === one.key && one.end < two.start)
      .map((two): [Written, Written] => [one, two]),
  );
  return pairs[Math.floor(random.fraction() * pairs.length)];
}

const readOf = (
  keys: readonly string[],
  values: readonly (string | undefined)[],
  start: number,
): RegisterOperation => ({
  client: 99,
  start,
  end: start + 1,
  input: { do: "read", keys },
  output: { found: values.map((value) => (value === undefined ? undefined : { value })) },
});

export const REGISTER_MUTANTS: Readonly<Record<string, Mutant<RegisterOperation>>> = {
  "a stale read": (history, random) => {
    const pair = overwritten(history, random);
    return pair && [...history, readOf([pair[0].key], [pair[0].value], pair[1].end + 0.1)];
  },
  "an acknowledged write that is gone": (history, random) => {
    const pair = overwritten(history, random);
    if (pair === undefined) return undefined;
    return [...history, readOf([pair[0].key], [pair[0].value], endOf(history) + 1)];
  },
  "a lost update": (history, random) => {
    const known = acknowledged(history).filter(({ etag }) => etag !== undefined);
    const one = known[Math.floor(random.fraction() * known.length)];
    if (one === undefined) return undefined;
    const write = (value: string, start: number): RegisterOperation => ({
      client: 98,
      start,
      end: start + 40,
      input: {
        do: "change",
        changes: [{ kind: "put", key: one.key, value, condition: { ifMatch: one.etag! } }],
      },
      output: { done: [`e${value}`] },
    });
    return [...history, write("x1", one.end + 1), write("x2", one.end + 2)];
  },
  "a deleted value that is back": (history) => {
    const end = endOf(history);
    const change = (one: Change, start: number): RegisterOperation => ({
      client: 97,
      start,
      end: start + 1,
      input: { do: "change", changes: [one] },
      output: { done: [one.kind === "put" ? "efresh" : undefined] },
    });
    return [
      ...history,
      change({ kind: "put", key: "a", value: "fresh" }, end + 1),
      change({ kind: "delete", key: "a" }, end + 3),
      readOf(["a"], ["fresh"], end + 5),
    ];
  },
  "half a batch": (history) => {
    const end = endOf(history);
    const put = (value: string, start: number): RegisterOperation => ({
      client: 96,
      start,
      end: start + 1,
      input: {
        do: "change",
        changes: ["a", "b"].map((key) => ({ kind: "put", key, value: `${value}${key}` })),
      },
      output: { done: [`e${value}a`, `e${value}b`] },
    });
    return [...history, put("x", end + 1), put("y", end + 3), readOf(["a", "b"], ["ya", "xb"], end + 3.5)];
  },
  "a refusal without a reason": (history) => {
    const end = endOf(history);
    const put: RegisterOperation = {
      client: 95,
      start: end + 1,
      end: end + 2,
      input: { do: "change", changes: [{ kind: "put", key: "a", value: "x" }] },
      output: { done: ["ex"] },
    };
    const condition = { ifMatch: "ex" };
    const refused: RegisterOperation = {
      client: 95,
      start: end + 3,
      end: end + 4,
      input: { do: "change", changes: [{ kind: "put", key: "a", value: "y", condition }] },
      output: { refused: "notMet" },
    };
    // A write nobody heard of might come in between, and be the reason.
    if (!history.every(isHeard)) return undefined;
    return [...history, put, refused];
  },
};

export const LEASE_MUTANTS: Readonly<Record<string, Mutant<LeaseOperation>>> = {
  "two holders": (history, random) =>
    afterAcquire(history, random, (start) => lease({ do: "acquire", id: "x", length: INFINITE }, start)),
  "a write past the lease": (history, random) =>
    afterAcquire(history, random, (start) => lease({ do: "write", id: undefined, value: "x" }, start)),
  "a lease forgotten": (history, random) =>
    afterAcquire(history, random, (start, id) => ({
      ...lease({ do: "renew", id }, start),
      output: { refused: true },
    })),
  "a locked object said to be free": (history, random) =>
    afterAcquire(history, random, (start, _, value) => ({
      ...lease({ do: "read" }, start),
      output: { value, isLocked: false },
    })),
};

const lease = (input: LeaseOperation["input"], start: number): LeaseOperation => ({
  client: 99,
  start,
  end: start + 1,
  input,
  output: { done: true },
});

/** Cuts a history somewhere, takes the lease whoever has it, writes under it, and goes on from there. */
function afterAcquire(
  history: readonly LeaseOperation[],
  random: Random,
  next: (start: number, id: string, value: string | undefined) => LeaseOperation,
): LeaseOperation[] {
  const before = history.slice(0, Math.floor(random.fraction() * history.length));
  const end = endOf(before);
  const taken = [
    lease({ do: "acquire", id: "mine", length: INFINITE }, end + 4),
    lease({ do: "write", id: "mine", value: "mine" }, end + 6),
  ];
  const broken = lease({ do: "break" }, end + 2);
  const isLegal = (story: readonly LeaseOperation[]): boolean =>
    checkHistory(story, leaseLock(undefined)).legal === true;
  const ways = [
    [...before, ...taken],
    [...before, broken, ...taken],
  ].filter(isLegal);
  assert.ok(ways.length > 0, "one of the two is legal, and so only what comes next is wrong");
  return [...ways[0]!, next(end + 8, "mine", "mine")];
}

export const MESSAGE_MUTANTS: Readonly<Record<string, Mutant<MessageOperation>>> = {
  "two takers within the time of one": (history) => {
    const take = history.findLast(({ input }) => input.do === "take")!;
    const { output } = take;
    if (output === undefined || !("done" in output)) return undefined;
    const second: MessageOperation = {
      client: 9,
      start: take.end + 1,
      end: take.end + 2,
      input: { do: "take", hiddenFor: 100 },
      output: { done: true, receipt: "x", dequeueCount: output.dequeueCount! + 1 },
    };
    return [...history.filter(({ start }) => start <= take.start), second];
  },
  "a message that comes back after its deletion": (history) => {
    const deleted = history.find(
      ({ input, output }) => input.do === "delete" && output !== undefined && "done" in output,
    );
    if (deleted === undefined) return undefined;
    const again: MessageOperation = {
      client: 9,
      start: deleted.end + 500,
      end: deleted.end + 501,
      input: { do: "take", hiddenFor: 100 },
      output: { done: true, receipt: "x" },
    };
    return [...history.filter(({ start }) => start <= deleted.start), again];
  },
  "two deletions of one message": (history) => {
    const deleted = history.find(
      ({ input, output }) => input.do === "delete" && output !== undefined && "done" in output,
    );
    return (
      deleted && [
        ...history.filter(({ input }) => input.do !== "lookLast"),
        { ...deleted, start: endOf(history), end: endOf(history) + 1 },
      ]
    );
  },
  "a message that is lost": (history) => {
    if (
      history.some(({ input, output }) => input.do === "delete" && output !== undefined && "done" in output)
    )
      return undefined;
    return [...history.slice(0, -1), { ...last(history), output: { isThere: false } }];
  },
  "a delivery that is not counted": (history) => {
    const at = history.findIndex(
      ({ input, output }) =>
        input.do === "take" && output !== undefined && "done" in output && output.dequeueCount! > 1,
    );
    if (at < 0) return undefined;
    const { output, ...take } = history[at]!;
    if (output === undefined || !("done" in output)) return undefined;
    return history.with(at, { ...take, output: { ...output, dequeueCount: output.dequeueCount! - 1 } });
  },
  "an old receipt that still works": (history) => {
    const at = history.findIndex(
      ({ input, output }) =>
        input.do === "delete" && output !== undefined && "refused" in output && input.receipt !== "x",
    );
    if (at < 0) return undefined;
    return history.with(at, { ...history[at]!, output: { done: true } });
  },
};
