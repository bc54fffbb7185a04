import assert from "node:assert/strict";
import fc from "fast-check";
import { LIMITS } from "../../src/base/limits.ts";
import type { Key, Reader, Store } from "../../src/store/kv.ts";
import { brief, entriesOf, letOthersRun, type OpenStore, onStore } from "../contract/store/kit.ts";
import { SortedStore } from "./sorted-store.ts";

/**
 * Random histories of transactions, against a sorted array. Keys come from a small, nasty alphabet, so that
 * they meet, extend each other, and straddle the place where long keys are cut.
 */
const K = LIMITS.engineKeyBytesMax;
const byte = fc.constantFrom("\0", "\x01", "a", "\xfe", "\xff");
const tail = fc.string({ unit: byte, maxLength: 3 });
const shortKey = tail.map((text) => `k${text}`);
const longKey = fc
  .tuple(fc.constantFrom(K - 2, K - 1, K, K + 1, 2 * K - 36, 2 * K - 35, 2 * K, 3 * K), byte, tail)
  .map(([length, filler, end]) => `k${filler.repeat(length - 1)}${end}`);
const key = fc.oneof({ weight: 3, arbitrary: shortKey }, { weight: 2, arbitrary: longKey });

type Step =
  | { readonly do: "put"; readonly key: Key; readonly value: string }
  | { readonly do: "delete" | "get"; readonly key: Key }
  | { readonly do: "getMany"; readonly keys: readonly Key[] }
  | {
      readonly do: "range";
      readonly from: Key;
      readonly to: Key;
      readonly reverse: boolean;
      readonly limit: number;
    }
  | { readonly do: "throw" | "pause" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("put" as const), key, value: fc.string({ maxLength: 5 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("delete" as const), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("get" as const), key }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("getMany" as const), keys: fc.array(key, { maxLength: 4 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("range" as const),
      from: fc.oneof(key, fc.constant("")),
      to: fc.oneof(key, fc.constant("l")),
      reverse: fc.boolean(),
      limit: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat({ max: 5 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("throw" as const, "pause" as const) }) },
);

/** Transactions that are begun one after another without waiting, then waited for together. */
export const history = fc.array(fc.array(fc.array(step, { maxLength: 8 }), { minLength: 1, maxLength: 6 }), {
  maxLength: 6,
});
export type History = Step[][][];

const show = (key: Key, value: string): string => `${brief(key)}=${value}`;

function runModel(model: SortedStore, steps: readonly Step[]): unknown {
  return model.transact(() => steps.map((it) => runModelStep(model, it)));
}

function runModelStep(model: SortedStore, it: Step): unknown {
  switch (it.do) {
    case "put":
      model.put(it.key, it.value);
      return undefined;
    case "delete":
      model.delete(it.key);
      return undefined;
    case "get":
      return model.get(it.key);
    case "getMany":
      return it.keys.map((key) => model.get(key));
    case "range":
      return model.range(it).map(brief);
    case "throw":
      throw new Error("thrown");
    case "pause":
      return undefined;
  }
}

async function runStep(it: Step, read: Reader): Promise<unknown> {
  switch (it.do) {
    case "get":
      return (await read.get(it.key))?.toString();
    case "getMany":
      return (await read.getMany(it.keys)).map((value) => value?.toString());
    case "range":
      return (await entriesOf(read, it)).map(({ key, value }) => show(key, value.toString()));
    case "throw":
      throw new Error("thrown");
    case "pause":
      return letOthersRun();
    default:
      return undefined;
  }
}

function runReal(store: Store, steps: readonly Step[]): Promise<unknown> {
  const done = store.write(async (write) => {
    const answers: unknown[] = [];
    for (const it of steps) {
      if (it.do === "put") write.put(it.key, Buffer.from(it.value));
      else if (it.do === "delete") write.delete(it.key);
      answers.push(await runStep(it, write));
    }
    return answers;
  });
  return done.catch((error: Error) => error.message);
}

/**
 * The engine runs transactions in the order they arrive, so their answers are those of the model in that
 * order.
 */
export async function followsModel(open: OpenStore, rounds: History): Promise<void> {
  await onStore(open, async (store) => {
    const model = new SortedStore();
    for (const round of rounds) {
      const real = round.map((steps) => runReal(store, steps));
      const expected = round.map((steps) => runModel(model, steps));
      assert.deepEqual(await Promise.all(real), expected);
      await sameState(store, model);
    }
    // What is left goes too: nothing may stay behind, neither values nor links.
    await store.write(async (write) => {
      for (const { key } of await entriesOf(write, { from: "", to: "\xff" })) write.delete(key);
    });
    assert.deepEqual(await store.read((read) => entriesOf(read, { from: "", to: "\xff" })), []);
  });
}

async function sameState(store: Store, model: SortedStore): Promise<void> {
  await store.read(async (read) => {
    for (const reverse of [false, true]) {
      const range = { from: "", to: "\xff", reverse };
      const entries = await entriesOf(read, range);
      const real = entries.map(({ key, value }) => `${key}=${value}`);
      const expected = model.range(range);
      if (real.join("\n") !== expected.join("\n")) assert.deepEqual(real.map(brief), expected.map(brief));
      for (const { key, value } of entries) assert.deepEqual(await read.get(key), value);
    }
  });
}
