import assert from "node:assert/strict";
import { beforeEach, suite, test } from "node:test";
import type { Timers } from "../base/clock.ts";
import { ReplyMemory } from "./reply-memory.ts";

suite("the memory of replies", () => {
  let now = 0;
  let look: (() => void) | undefined;
  const timers: Timers = {
    after: () => ({ cancel() {} }),
    every: (_, run) => {
      look = run;
      return {
        cancel() {
          look = undefined;
        },
      };
    },
  };
  let memory: ReplyMemory;
  let closed: string[] = [];
  const reservation = (name: string, bytesMax?: number) =>
    memory.reservationFor({ destroy: () => closed.push(name) }, bytesMax);
  /** Time passes, and stalled clients are looked for as often as the product does it. */
  const pass = (millis: number): void => {
    for (const end = now + millis; now < end; ) {
      now += 100;
      look?.();
    }
  };
  const outcomeOf = async (reserved: Promise<boolean> | undefined): Promise<boolean | "waits"> => {
    if (reserved === undefined) return true;
    return await Promise.race([reserved, new Promise<"waits">((resolve) => setImmediate(resolve, "waits"))]);
  };

  beforeEach(() => {
    now = 0;
    look = undefined;
    closed = [];
    memory = new ReplyMemory({
      bytesMax: 100,
      waitMillis: 30_000,
      stalledMillis: 5_000,
      timers,
      now: () => now,
    });
  });

  test("is reserved at once while there is some, and then in the order of the requests", async () => {
    const [first, second] = [reservation("first"), reservation("second")];
    assert.equal(first.reserve(60), undefined);
    assert.equal(second.reserve(40), undefined);
    const large = reservation("large").reserve(90);
    const small = reservation("small").reserve(5);
    second.close();
    assert.deepEqual([await outcomeOf(large), await outcomeOf(small)], ["waits", "waits"]);
    first.close();
    assert.deepEqual([await outcomeOf(large), await outcomeOf(small)], [true, true]);
    assert.equal(memory.bytes, 95);
  });

  test("serves a reply larger than all of it when there is no other", async () => {
    const only = reservation("only");
    assert.equal(only.reserve(1_000), undefined);
    const next = reservation("next").reserve(1);
    assert.equal(await outcomeOf(next), "waits");
    only.close();
    assert.equal(await outcomeOf(next), true);
  });

  test("closes stalled clients when others wait, those with the most bytes first, and no more than needed", async () => {
    const reservations = Object.fromEntries(
      ["small", "large", "moving"].map((name) => [name, reservation(name)]),
    );
    reservations.small!.exchange(20);
    reservations.large!.exchange(50);
    reservations.moving!.exchange(30);
    pass(60_000);
    assert.deepEqual(closed, [], "no request waits");
    const waiting = reservation("waiting").reserve(40);
    for (let step = 0; step < 10; step++) {
      pass(400);
      reservations.moving!.setUnsent(30 - step);
    }
    assert.deepEqual(closed, ["large"]);
    assert.equal(await outcomeOf(waiting), true);
    const another = reservation("another").reserve(30);
    pass(6_000);
    assert.deepEqual(closed, ["large", "small"]);
    assert.equal(await outcomeOf(another), true);
  });

  test("gives a client some time to read before it counts as stalled", () => {
    reservation("fresh").exchange(100);
    void reservation("waiting").reserve(10);
    pass(4_900);
    assert.deepEqual(closed, []);
    pass(200);
    assert.deepEqual(closed, ["fresh"]);
  });

  test("refuses a request that has waited too long, and forgets one whose client is gone", async () => {
    reservation("work").reserve(100);
    const late = reservation("late").reserve(10);
    const gone = reservation("gone");
    const never = gone.reserve(10);
    gone.close();
    assert.equal(await outcomeOf(never), false);
    pass(29_900);
    assert.equal(await outcomeOf(late), "waits");
    pass(200);
    assert.equal(await outcomeOf(late), false);
    assert.deepEqual(closed, [], "a reply that is being made has no stalled client");
    assert.equal(look, undefined, "without waiting requests there is no timer");
  });

  test("keeps one connection from taking it all: others do not wait behind it", async () => {
    const greedy = reservation("greedy", 50);
    assert.equal(greedy.reserve(50), undefined);
    const more = greedy.reserve(10);
    const other = reservation("other", 50).reserve(40);
    assert.deepEqual([await outcomeOf(more), await outcomeOf(other)], ["waits", true]);
    greedy.release(50);
    assert.equal(await outcomeOf(more), true);
  });

  test("goes first to the connection that has least, however many requests others have sent", async () => {
    const work = reservation("work");
    work.reserve(70);
    const greedy = reservation("greedy");
    greedy.reserve(30);
    const many = Array.from({ length: 5 }, () => greedy.reserve(30));
    const modest = reservation("modest").reserve(30);
    work.release(40);
    assert.equal(await outcomeOf(modest), true);
    assert.equal(await outcomeOf(many[0]), "waits");
    work.close();
    assert.equal(await outcomeOf(many[0]), true);
    assert.equal(await outcomeOf(many[1]), "waits");
  });

  test("is all there again when a connection with waiting requests ends", async () => {
    const ended = reservation("ended");
    ended.reserve(100);
    const waiting = [ended.reserve(50), ended.reserve(50)];
    ended.close();
    assert.deepEqual(await Promise.all(waiting.map(outcomeOf)), [false, false]);
    assert.equal(memory.bytes, 0);
  });

  test("counts replies that reserved nothing, and closes stalled clients when they are too many", () => {
    const unread = reservation("unread");
    unread.setUnsent(80, 80);
    const more = reservation("more");
    more.setUnsent(60, 60);
    assert.equal(memory.bytes, 140);
    assert.equal(memory.isFull, true);
    pass(6_000);
    assert.deepEqual(closed, ["unread"]);
    assert.equal(memory.bytes, 60);
    more.setUnsent(0);
    assert.equal(memory.bytes, 0);
  });
});
