import assert from "node:assert/strict";
import { test } from "node:test";
import { seconds } from "../base/clock.ts";
import {
  deleteMessage,
  dequeueMessage,
  insertMessage,
  isExpired,
  isVisible,
  type Message,
  NEVER,
  parseReceipt,
  printReceipt,
  updateMessage,
} from "./visibility.ts";

const T = Date.UTC(2026, 0, 1);

function inserted(options: { delay?: number; timeToLive?: number | "never" } = {}): Message {
  const { delay = 0, timeToLive = seconds(100) } = options;
  const insertion = { sequence: 7n, stamp: 1n, now: T, visibilityTimeout: delay, timeToLive };
  const outcome = insertMessage(insertion);
  assert.ok(outcome.ok);
  return outcome.next;
}

test("a message is visible from its time on, until it expires", () => {
  const message = inserted({ delay: seconds(10) });
  assert.deepEqual(
    [0, 9_999, 10_000, 99_999, 100_000].map((after) => isVisible(message, T + after)),
    [false, false, true, true, false],
  );
  assert.equal(isExpired(message, T + 99_999), false);
  assert.equal(isExpired(message, T + 100_000), true);
  assert.equal(isVisible(inserted({ timeToLive: "never" }), NEVER - 1), true);
});

test("a life that would end after the year 9999 ends with it", () => {
  assert.equal(inserted({ timeToLive: Number.MAX_SAFE_INTEGER }).expiresAt, NEVER);
  assert.equal(inserted({ timeToLive: "never" }).expiresAt, NEVER);
});

test("a message that would expire before it is visible is refused", () => {
  for (const delay of [seconds(100), seconds(101)]) {
    const insertion = { sequence: 7n, stamp: 1n, now: T, visibilityTimeout: delay, timeToLive: seconds(100) };
    assert.deepEqual(insertMessage(insertion), { ok: false, why: "outlivesMessage" });
  }
});

test("dequeuing counts, hides from now on, and changes nothing else", () => {
  const message = inserted();
  const dequeued = dequeueMessage(message, { stamp: 2n, now: T + 5, visibilityTimeout: seconds(30) });
  assert.deepEqual(dequeued, { ...message, stamp: 2n, visibleAt: T + 5 + 30_000, dequeueCount: 1 });
});

test("only the newest receipt is valid, whether the message is hidden or visible again", () => {
  const message = inserted();
  const dequeued = dequeueMessage(message, { stamp: 2n, now: T, visibilityTimeout: seconds(30) });
  for (const now of [T, T + 29_999, T + 30_000, T + 99_999]) {
    assert.equal(deleteMessage(dequeued, dequeued, now), "met");
    assert.equal(deleteMessage(dequeued, message, now), "notFound");
  }
  assert.equal(deleteMessage(dequeued, dequeued, T + 100_000), "notFound");
  assert.equal(deleteMessage(undefined, dequeued, T), "notFound");
  // The same address, dequeued again at the same moment for the same time: the stamp differs.
  assert.equal(deleteMessage({ ...dequeued, stamp: 3n }, dequeued, T), "notFound");
  assert.equal(deleteMessage({ ...dequeued, sequence: 8n }, dequeued, T), "notFound");
});

test("updating hides anew, counts nothing, and not beyond the expiry", () => {
  const message = inserted();
  const hiding = { stamp: 2n, now: T + 1_000, visibilityTimeout: seconds(99) };
  const updated = updateMessage(message, message, hiding);
  assert.deepEqual(updated, { ok: true, next: { ...message, stamp: 2n, visibleAt: T + 100_000 } });
  const beyond = { ...hiding, visibilityTimeout: seconds(99) + 1 };
  assert.deepEqual(updateMessage(message, message, beyond), { ok: false, why: "outlivesMessage" });
  assert.deepEqual(updateMessage(undefined, message, hiding), { ok: false, why: "notFound" });
  assert.deepEqual(updateMessage({ ...message, stamp: 9n }, message, hiding), { ok: false, why: "notFound" });
});

test("a receipt survives its wire form, and nothing else reads as one", () => {
  for (const receipt of [
    { sequence: 0n, visibleAt: 0, stamp: 0n },
    { sequence: 2n ** 64n - 1n, visibleAt: NEVER + seconds(604_800), stamp: 2n ** 64n - 1n },
  ]) {
    const text = printReceipt(receipt);
    assert.match(text, /^[A-Za-z0-9+/]{32}$/);
    assert.deepEqual(parseReceipt(text), receipt);
    for (const wrong of [
      text.slice(1),
      `${text}A`,
      `${text.slice(0, 31)}=`,
      `B${text.slice(1)}`,
      ` ${text}`,
    ]) {
      assert.equal(parseReceipt(wrong), undefined, wrong);
    }
  }
  assert.equal(parseReceipt(""), undefined);
});
