import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { monotonic, pause } from "../../src/base/clock.ts";
import { OutcomeUnknown, StorageFault } from "../../src/base/faults.ts";
import { LIMITS } from "../../src/base/limits.ts";
import type { Store } from "../../src/store/kv.ts";
import { PostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { FaultyLink } from "../kit/faulty-link.ts";
import { freshSchema, sharedDatabase } from "../kit/postgres.ts";
import { bytes, putAll, readText } from "./store/kit.ts";

/**
 * A database that falls silent: neither side closes a connection, and no answer comes. The times are the real
 * ones, so these tests wait; they run at the same time. The bounds are far from what was measured and from
 * what would be wrong.
 */
const HEARD_WITHIN_MILLIS = 25_000;

async function onLink(story: (store: PostgresStore, link: FaultyLink) => Promise<void>): Promise<void> {
  const { address, drop } = await freshSchema();
  const link = await FaultyLink.before((await sharedDatabase()).port);
  const onFatal = (error: unknown): void => {
    throw error;
  };
  const store = new PostgresStore({ address: link.over(address), owner: "behind", onFatal });
  try {
    await store.opened;
    await story(store, link);
  } finally {
    link.set("carry");
    await store.close();
    await link.close();
    await drop();
  }
}

function increment(store: Store, key: string): Promise<number> {
  return store.write(async (write) => {
    const count = Number((await write.get(key))?.toString() ?? 0) + 1;
    write.put(key, bytes(String(count)));
    return count;
  });
}

/** What a caller hears, and that it hears in time. */
async function heard(call: Promise<unknown>, millis = HEARD_WITHIN_MILLIS): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve("nothing"), millis);
  });
  const answer = await Promise.race([call.catch((error: unknown) => error), late]);
  clearTimeout(timer);
  return answer;
}

function assertBusy(answer: unknown): void {
  assert.ok(answer instanceof StorageFault && !(answer instanceof OutcomeUnknown), `heard ${answer}`);
  assert.ok(answer.isTransient, answer.message);
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  const began = monotonic();
  while (!isSo()) {
    assert.ok(monotonic() - began < HEARD_WITHIN_MILLIS, what);
    await pause(50);
  }
}

describe("a silent database", { concurrency: true }, () => {
  for (const [mode, landed] of [
    ["swallow", true],
    ["blackhole", false],
  ] as const) {
    const what = landed ? "was made" : "never arrived";
    test(`a commit that ${what}: callers hear in time what is certain, and it is found out later`, () =>
      onLink(async (store, link) => {
        assert.equal(await increment(store, "a"), 1);
        assert.deepEqual(store.readiness(), { isUp: true, state: "open" });
        // Connections for payload that stand idle while the link falls silent, and are dead after it.
        await Promise.all(Array.from({ length: 4 }, () => store.device.list()));
        const silent = link.setAtCommit(mode, "all");
        const first = heard(increment(store, "a"));
        await silent;
        const others = [
          heard(increment(store, "a")),
          heard(increment(store, "b")),
          heard(readText(store, "a")),
        ];
        const ephemeral = heard(putAll(store.ephemeral, { lock: "unowned" }));
        // More than go side by side: those behind wait no longer than the first.
        const payloads = [0, 1, 2, 3].map((i) =>
          heard(store.device.write(1n, i * LIMITS.chunkWriteBytes, [Buffer.alloc(LIMITS.chunkWriteBytes)])),
        );
        await until(() => !store.readiness().isUp, "said to be ready while nothing is answered");
        assert.match(store.readiness().state, /has not (been )?answered/);

        const unknown = await first;
        assert.ok(unknown instanceof OutcomeUnknown, `heard ${unknown}`);
        for (const other of others) assertBusy(await other);
        for (const payload of payloads) assertBusy(await payload);
        const outcome = await ephemeral;
        assert.ok(outcome instanceof StorageFault, `heard ${outcome}`);

        link.set("carry");
        assert.equal(await unknown.landed, landed);
        assert.ok(Array.isArray(await heard(store.device.list())), "dead connections are tried one by one");
        // What was refused never came, what was in doubt is there once or not at all, and all goes on.
        assert.equal(await increment(store, "a"), landed ? 3 : 2);
        assert.equal(await readText(store, "b"), undefined);
        assert.equal(await readText(store.ephemeral, "outcome"), undefined);
        await until(() => store.readiness().isUp, "said not to be ready while all is answered");
      }));
  }

  test("one connection that falls silent during a commit is replaced, and its callers hear the outcome", () =>
    onLink(async (store, link) => {
      for (const [mode, count] of [
        ["swallow", 1],
        ["blackhole", 2],
      ] as const) {
        const silent = link.setAtCommit(mode, "one");
        const counting = heard(increment(store, "a"));
        await silent;
        assert.equal(await readText(store, "other"), undefined);
        assert.equal(await counting, count);
      }
      assert.equal(await readText(store, "a"), "2");
    }));

  test("a link that stalls for a moment loses nothing and fails no request", () =>
    onLink(async (store, link) => {
      await increment(store, "a");
      link.set("stall");
      const calls = [increment(store, "a"), increment(store, "a")].map((call) => heard(call));
      const reading = heard(readText(store, "a"));
      await until(() => !store.readiness().isUp, "said to be ready while nothing is answered");
      link.set("carry");
      assert.deepEqual(await Promise.all(calls), [2, 3]);
      assert.match(String(await reading), /^[123]$/);
    }));

  test("a store on a silent database closes", () =>
    onLink(async (store, link) => {
      const silent = link.setAtCommit("blackhole", "all");
      const first = heard(increment(store, "a"));
      await silent;
      const second = heard(increment(store, "a"));
      const closing = heard(
        store.close().then(() => "closed"),
        2 * HEARD_WITHIN_MILLIS,
      );
      assert.ok((await first) instanceof OutcomeUnknown);
      assertBusy(await second);
      assert.equal(await closing, "closed");
    }));
});
