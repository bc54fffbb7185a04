import assert from "node:assert/strict";
import { test } from "node:test";
import type { Timers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { ClientGone } from "../connection/incoming-body.ts";
import type { Client } from "../exchange.ts";
import { FetchSlots } from "./fetch-slots.ts";

class HandTimers implements Timers {
  readonly #waiting = new Set<() => void>();
  after(_: number, run: () => void): { cancel(): void } {
    const once = (): void => {
      this.#waiting.delete(once);
      run();
    };
    this.#waiting.add(once);
    return { cancel: () => this.#waiting.delete(once) };
  }
  every(): { cancel(): void } {
    throw new Error("not needed");
  }
  fire(): void {
    for (const run of [...this.#waiting]) run();
  }
}

const newClient = (): Client => ({ hasLeft: false, onLeave: undefined });
const isBusy = (error: unknown): boolean => error instanceof Refusal && error.code === "ServerBusy";

test("an account that has its share does not keep others from theirs", async () => {
  const timers = new HandTimers();
  const slots = new FetchSlots({ total: 3, perAccount: 2 }, timers);
  const first = await slots.acquire("a", newClient());
  await slots.acquire("a", newClient());
  const waiting = slots.acquire("a", newClient());
  await slots.acquire("b", newClient());
  const other = slots.acquire("c", newClient());
  // The oldest that may have the slot gets it.
  first();
  first();
  (await waiting)();
  await other;
  assert.equal(slots.inUse, 3);
  const late = slots.acquire("b", newClient());
  timers.fire();
  await assert.rejects(late, isBusy);
  assert.equal(slots.inUse, 3);
});

test("a client that leaves gives up its place, and one that has left gets none", async () => {
  const slots = new FetchSlots({ total: 1, perAccount: 1 }, new HandTimers());
  const release = await slots.acquire("a", newClient());
  const client = newClient();
  const waiting = slots.acquire("a", client);
  client.onLeave!();
  await assert.rejects(waiting, ClientGone);
  await assert.rejects(slots.acquire("a", { hasLeft: true, onLeave: undefined }), ClientGone);
  release();
  assert.equal(slots.inUse, 0);
});

test("there is an end to how many wait", async () => {
  const timers = new HandTimers();
  const slots = new FetchSlots({ total: 1, perAccount: 1 }, timers);
  await slots.acquire("a", newClient());
  const all = Array.from({ length: LIMITS.sourceWaitersMax }, () => slots.acquire("a", newClient()));
  const ended = Promise.allSettled(all);
  await assert.rejects(slots.acquire("a", newClient()), isBusy);
  timers.fire();
  assert.ok((await ended).every((result) => result.status === "rejected" && isBusy(result.reason)));
});
