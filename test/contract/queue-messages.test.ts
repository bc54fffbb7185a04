import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { seconds } from "../../src/base/clock.ts";
import { queueContext } from "../../src/services/queue/context.ts";
import { queueJobs } from "../../src/services/queue/jobs.ts";
import { QUEUE_LIMITS } from "../../src/services/queue/limits.ts";
import { readContentsId } from "../../src/services/queue/queue-ref.ts";
import { packKey } from "../../src/store/keys/pack.ts";
import { counterKey, dueSweeps, sweepKey } from "../../src/store/keys/queue.ts";
import { FACES, openFace, type QueueFace, refusedWith } from "../kit/queues.ts";
import { ENGINES, startTestServer, type TestServer } from "../kit/server.ts";

const DAY = 24 * 60 * 60;
const NEVER = Date.UTC(9999, 11, 31, 23, 59, 59) / 1_000;

for (const engine of ENGINES) {
  for (const faceName of FACES) {
    suite(`queue messages on ${engine}, through ${faceName}`, () => {
      let server: TestServer;
      let queue: QueueFace;
      let queues = 0;
      before(async () => {
        server = await startTestServer({ engine });
      });
      after(() => server.close());

      const story = (name: string, run: () => Promise<void>): void => {
        test(name, async () => {
          queue = await openFace(server, faceName, `story-${++queues}`);
          await run();
        });
      };
      const pass = (time: number): void => server.clock.advance(seconds(time));
      const now = (): number => Math.floor(server.clock.now() / 1_000);
      const texts = (messages: readonly { text: string }[]): string[] => messages.map(({ text }) => text);

      story("a put message reports its times, and is received with the same ones", async () => {
        const put = await queue.put("hello");
        assert.equal(put.insertedAt, now());
        assert.equal(put.expiresAt, now() + 7 * DAY);
        assert.equal(put.visibleAt, now());
        assert.match(put.id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);

        assert.equal((await queue.peek())[0]?.dequeueCount, 0);
        const [got] = await queue.get({ hideFor: 10 });
        assert.deepEqual(
          { ...got, receipt: undefined },
          {
            id: put.id,
            text: "hello",
            insertedAt: put.insertedAt,
            expiresAt: put.expiresAt,
            visibleAt: now() + 10,
            dequeueCount: 1,
            receipt: undefined,
          },
        );
        assert.notEqual(got!.receipt, put.receipt);
      });

      story("an empty queue gives nothing, and says so without an error", async () => {
        assert.deepEqual(await queue.get({ count: 32 }), []);
        assert.deepEqual(await queue.peek(32), []);
        assert.equal(await queue.count(), 0);
      });

      story("no other client gets a received message until its time is over", async () => {
        await queue.put("one");
        const [first] = await queue.get({ hideFor: 10 });
        assert.deepEqual(await queue.get(), []);
        assert.deepEqual(await queue.peek(), []);
        assert.equal(await queue.count(), 1);

        pass(9);
        assert.deepEqual(await queue.get(), []);
        pass(1);
        const [second] = await queue.get({ hideFor: 10 });
        assert.equal(second?.id, first!.id);
        assert.equal(second?.dequeueCount, 2);
      });

      story("messages come in the order they became visible, then in the order they were put", async () => {
        await queue.put("late", { delay: 5 });
        await queue.put("a");
        await queue.put("b");
        await queue.put("c");
        assert.deepEqual(texts(await queue.peek(32)), ["a", "b", "c"]);
        assert.deepEqual(texts(await queue.get({ count: 2, hideFor: 3 })), ["a", "b"]);
        pass(5);
        await queue.put("new");
        assert.deepEqual(texts(await queue.get({ count: 32 })), ["c", "a", "b", "late", "new"]);
      });

      story("a message put with a delay is not there before it", async () => {
        const put = await queue.put("later", { delay: 60 });
        assert.equal(put.visibleAt, now() + 60);
        assert.deepEqual(await queue.peek(), []);
        pass(59);
        assert.deepEqual(await queue.get(), []);
        pass(1);
        assert.deepEqual(texts(await queue.get()), ["later"]);
      });

      story("only the newest receipt deletes", async () => {
        const put = await queue.put("one");
        const [first] = await queue.get({ hideFor: 5 });
        await assert.rejects(queue.delete(put), refusedWith("MessageNotFound"));
        pass(5);
        const [second] = await queue.get({ hideFor: 5 });
        await assert.rejects(queue.delete(first!), refusedWith("MessageNotFound"));
        await queue.delete(second!);
        await assert.rejects(queue.delete(second!), refusedWith("MessageNotFound"));
        assert.equal(await queue.count(), 0);
      });

      story("a receipt outlives the hiding until a client receives the message again", async () => {
        await queue.put("one");
        const [got] = await queue.get({ hideFor: 5 });
        pass(500);
        await queue.delete(got!);
        assert.deepEqual(await queue.get(), []);
      });

      story("the receipt of the put deletes and updates at once", async () => {
        await queue.delete(await queue.put("gone"));
        assert.deepEqual(await queue.get(), []);

        const put = await queue.put("draft");
        const updated = await queue.update(put, { hideFor: 0, text: "final" });
        assert.deepEqual(texts(await queue.peek()), ["final"]);
        await queue.delete({ id: put.id, receipt: updated.receipt });
      });

      story("a receipt of another message is a mismatch, an unknown id is not found", async () => {
        const one = await queue.put("one");
        const other = await queue.put("other");
        await assert.rejects(
          queue.delete({ id: one.id, receipt: other.receipt }),
          refusedWith("PopReceiptMismatch"),
        );
        await assert.rejects(
          queue.update({ id: one.id, receipt: other.receipt }, { hideFor: 1 }),
          refusedWith("PopReceiptMismatch"),
        );
        const unknown = { id: "11111111-2222-4333-8444-555555555555", receipt: one.receipt };
        await assert.rejects(queue.delete(unknown), refusedWith("MessageNotFound"));
        await assert.rejects(queue.update(unknown, { hideFor: 1 }), refusedWith("MessageNotFound"));
        assert.equal(await queue.count(), 2);
      });

      story("a malformed receipt is refused as a parameter", async () => {
        const { id } = await queue.put("one");
        for (const receipt of ["x", "AAAA", "A".repeat(32), "/".repeat(32), "B".repeat(33), "ü".repeat(32)]) {
          await assert.rejects(queue.delete({ id, receipt }), refusedWith("InvalidQueryParameterValue"));
          await assert.rejects(
            queue.update({ id, receipt }, { hideFor: 1 }),
            refusedWith("InvalidQueryParameterValue"),
          );
        }
        assert.equal(await queue.count(), 1);
      });

      story("update hides for longer, keeps or replaces the text, and counts no delivery", async () => {
        await queue.put("one");
        const [got] = await queue.get({ hideFor: 10 });
        pass(8);
        const longer = await queue.update(got!, { hideFor: 10 });
        assert.equal(longer.visibleAt, now() + 10);
        pass(9);
        assert.deepEqual(await queue.get(), []);
        await assert.rejects(queue.update(got!, { hideFor: 10 }), refusedWith("MessageNotFound"));
        const changed = { id: got!.id, receipt: longer.receipt };
        const released = await queue.update(changed, { hideFor: 0, text: "two" });
        const [again] = await queue.get();
        assert.equal(again?.text, "two");
        assert.equal(again?.dequeueCount, 2);
        assert.equal(again?.insertedAt, got!.insertedAt);
        assert.equal(again?.expiresAt, got!.expiresAt);
        await assert.rejects(
          queue.delete({ id: got!.id, receipt: released.receipt }),
          refusedWith("MessageNotFound"),
        );
      });

      story("of two takers one after the other, the second one owns the message", async () => {
        await queue.put("job");
        const [slow] = await queue.get({ hideFor: 5 });
        pass(6);
        const [quick] = await queue.get({ hideFor: 5 });
        await assert.rejects(queue.update(slow!, { hideFor: 60 }), refusedWith("MessageNotFound"));
        await assert.rejects(queue.delete(slow!), refusedWith("MessageNotFound"));
        await queue.update(quick!, { hideFor: 60, text: "done" });
      });

      story("a message expires for every operation", async () => {
        const put = await queue.put("short", { timeToLive: 10 });
        assert.equal(put.expiresAt, now() + 10);
        const [got] = await queue.get({ hideFor: 60 });
        await queue.put("stays");
        pass(9);
        assert.deepEqual(texts(await queue.peek(32)), ["stays"]);
        pass(1);
        await assert.rejects(queue.delete(got!), refusedWith("MessageNotFound"));
        await assert.rejects(queue.update(got!, { hideFor: 0 }), refusedWith("MessageNotFound"));
        pass(60);
        assert.deepEqual(texts(await queue.peek(32)), ["stays"]);
        assert.deepEqual(texts(await queue.get({ count: 32 })), ["stays"]);
        assert.equal(await queue.count(), 1, "the get removed the expired one and no longer counts it");
      });

      story("a message of one second, and one that never expires", async () => {
        await queue.put("second", { timeToLive: 1 });
        const never = await queue.put("never", { timeToLive: -1 });
        assert.equal(never.expiresAt, NEVER);
        const long = await queue.put("long", { timeToLive: 1_073_741_824 });
        assert.equal(long.expiresAt, now() + 1_073_741_824);
        const capped = await queue.put("capped", { timeToLive: 999_999_999_999 });
        assert.equal(capped.expiresAt, NEVER);
        assert.equal((await queue.peek(32)).length, 4);
        pass(1);
        assert.deepEqual(texts(await queue.peek(32)), ["never", "long", "capped"]);
        pass(30 * DAY);
        const [got] = await queue.get();
        assert.equal(got?.text, "never");
        await queue.delete(got!);
      });

      story("a message must be visible before it expires", async () => {
        for (const [delay, timeToLive] of [
          [10, 10],
          [11, 10],
          [7 * DAY, 7 * DAY],
        ] as const) {
          await assert.rejects(
            queue.put("never seen", { delay, timeToLive }),
            refusedWith("InvalidQueryParameterValue"),
          );
        }
        await queue.put("seen", { delay: 7 * DAY, timeToLive: -1 });
        const put = await queue.put("brief", { delay: 9, timeToLive: 10 });
        await assert.rejects(queue.update(put, { hideFor: 11 }), refusedWith("InvalidQueryParameterValue"));
        await queue.update(put, { hideFor: 10 });
        assert.equal(await queue.count(), 2);
      });

      story("many expired messages in front do not hide the living one for long", async () => {
        for (let i = 0; i < 70; i++) await queue.put(`old ${i}`, { timeToLive: 5 });
        pass(2);
        await queue.put("young");
        pass(3);
        assert.deepEqual(texts(await queue.peek()), ["young"]);
        assert.deepEqual(texts(await queue.get()), ["young"]);
        assert.equal(await queue.count(), 1);
      });

      story("clearing takes every message, visible or not, and their receipts", async () => {
        await queue.put("a");
        await queue.put("b", { delay: 100 });
        const [got] = await queue.get();
        await queue.clear();
        assert.equal(await queue.count(), 0);
        assert.deepEqual(await queue.peek(32), []);
        await assert.rejects(queue.delete(got!), refusedWith("MessageNotFound"));
        await queue.put("after");
        assert.deepEqual(texts(await queue.get({ count: 32 })), ["after"]);
        pass(100);
        assert.deepEqual(texts(await queue.peek(32)), ["after"]);
      });

      story("a queue of the same name starts empty at once", async () => {
        const old = await queue.put("old");
        await queue.dropQueue();
        for (const use of [
          () => queue.put("x"),
          () => queue.get(),
          () => queue.peek(),
          () => queue.count(),
          () => queue.clear(),
          () => queue.delete(old),
          () => queue.update(old, { hideFor: 1 }),
          () => queue.dropQueue(),
        ]) {
          await assert.rejects(use, refusedWith("QueueNotFound"));
        }
        await queue.createQueue();
        assert.deepEqual(await queue.get({ count: 32 }), []);
        await assert.rejects(queue.delete(old), refusedWith("MessageNotFound"));
        assert.equal(await queue.count(), 0);
      });

      story("32 takers at once never get the same message", async () => {
        for (let i = 0; i < 100; i++) await queue.put(`job ${i}`);
        const takers = await Promise.all(
          Array.from({ length: 32 }, (_, i) => queue.get({ count: 1 + (i % 5) })),
        );
        const ids = takers.flat().map(({ id }) => id);
        assert.equal(new Set(ids).size, ids.length);
        assert.equal(ids.length, 6 * (1 + 2 + 3 + 4 + 5) + 1 + 2);
        assert.equal(await queue.count(), 100);
      });

      story("a clock set back loses nothing and hides what it must", async () => {
        await queue.put("before");
        await queue.get({ hideFor: 10 });
        pass(-100);
        await queue.put("after");
        assert.deepEqual(texts(await queue.get({ hideFor: 200 })), ["after"]);
        assert.deepEqual(await queue.get(), []);
        pass(110);
        assert.deepEqual(texts(await queue.get()), ["before"]);
      });
    });
  }

  suite(`background jobs of queues on ${engine}`, () => {
    test("messages that expire late are looked for when a 64th more of their life has passed", async () => {
      const server = await startTestServer({ engine });
      try {
        const queues = queueContext(server.runtime.parts);
        const [sweeps] = queueJobs(queues);
        const sweep = async (): Promise<void> => {
          while ((await sweeps!.run()) === "more");
        };
        const queue = await openFace(server, "service", "jobs");
        for (let i = 0; i < 20; i++) await queue.put(`week ${i}`, { timeToLive: 7 * DAY });
        for (let i = 0; i < 20; i++) await queue.put(`day ${i}`, { timeToLive: DAY, delay: 60 * i });
        await queue.put("always", { timeToLive: -1 });
        const [received] = await queue.get({ hideFor: 7 * DAY });
        assert.equal(received!.text, "week 0");
        server.clock.advance(seconds(DAY));
        await sweep();
        const counted = await queue.count();
        assert.ok(counted >= 21 && counted <= 41, `${counted} are counted`);
        server.clock.advance(seconds(DAY / 64));
        await sweep();
        assert.equal(await queue.count(), 21);
        server.clock.advance(seconds(7 * DAY));
        await sweep();
        assert.equal(await queue.count(), 1);
        assert.deepEqual(
          (await queue.get({ count: 32 })).map(({ text }) => text),
          ["always"],
        );
      } finally {
        await server.close();
      }
    });

    test("however many messages have expired in front, a living one behind them is found", async () => {
      const server = await startTestServer({ engine });
      try {
        const queue = await openFace(server, "service", "jobs");
        const expired = 2 * QUEUE_LIMITS.expiredPerStepMax + 100;
        const putExpired = async (): Promise<void> => {
          const puts = Array.from({ length: expired }, () => queue.put("old", { timeToLive: 7 * DAY }));
          await Promise.all(puts);
          server.clock.advance(seconds(1));
          await queue.put("living", { timeToLive: 30 * DAY });
          server.clock.advance(seconds(7 * DAY));
        };
        await putExpired();
        assert.deepEqual(
          (await queue.peek(32)).map(({ text }) => text),
          ["living"],
        );
        const [first] = await queue.get();
        assert.equal(first?.text, "living");
        await queue.delete(first!);
        assert.equal(await queue.count(), 0);
        await putExpired();
        const [second] = await queue.get();
        assert.equal(second?.text, "living");
        assert.deepEqual(await queue.get(), []);
        assert.equal(await queue.count(), 1);
      } finally {
        await server.close();
      }
    });

    test("messages of the first layout, with an entry for each, are removed when they have expired", async () => {
      const server = await startTestServer({ engine });
      try {
        const { store } = server.runtime.parts;
        const queues = queueContext(server.runtime.parts);
        const queue = await openFace(server, "service", "jobs");
        const ref = { account: server.account, queue: "jobs" };
        for (let i = 0; i < 3; i++) await queue.put(`old ${i}`, { timeToLive: 10 });
        await store.write(async (write) => {
          const contents = await write.view((read) => readContentsId(read, ref));
          const expiresAt = server.clock.now() + seconds(10);
          for await (const { key } of write.range(dueSweeps(expiresAt + seconds(2)))) write.delete(key);
          for (let i = 0n; i < 3n; i++) {
            write.put(sweepKey(expiresAt, contents) + packKey([i]), Buffer.alloc(8));
          }
          const counter = (await write.get(counterKey(contents)))!;
          counter[0] = 1;
          write.put(counterKey(contents), counter.subarray(0, 25));
        });
        assert.equal(await queue.count(), 3);
        server.clock.advance(seconds(10));
        await queue.put("new", { timeToLive: 100 });
        for (const job of queueJobs(queues)) while ((await job.run()) === "more");
        assert.equal(await queue.count(), 1);
      } finally {
        await server.close();
      }
    });

    test("what a sweep found is left when the clock is set back before it is removed", async () => {
      const server = await startTestServer({ engine });
      try {
        const { parts } = server.runtime;
        const queue = await openFace(server, "service", "jobs");
        await queue.put("living", { timeToLive: 10 });
        let late = seconds(12);
        server.clock.advance(late);
        const store: typeof parts.store = Object.create(parts.store, {
          write: {
            value: (fn: Parameters<typeof parts.store.write>[0]) => {
              server.clock.advance(-late);
              late = 0;
              return parts.store.write(fn);
            },
          },
          read: { value: parts.store.read.bind(parts.store) },
        });
        const [sweeps] = queueJobs(queueContext({ ...parts, store }));
        for (let step = 0; step < 2; step++) await sweeps!.run();
        assert.equal(await queue.count(), 1);
        assert.equal((await queue.peek()).length, 1);
      } finally {
        await server.close();
      }
    });

    test("a sweep is asked for again when the clock is set back to before it was made", async () => {
      const server = await startTestServer({ engine });
      try {
        const [sweeps] = queueJobs(queueContext(server.runtime.parts));
        const sweep = async (): Promise<void> => {
          while ((await sweeps!.run()) === "more");
        };
        const queue = await openFace(server, "service", "jobs");
        await queue.put("first", { timeToLive: 10 });
        server.clock.advance(seconds(12));
        await sweep();
        assert.equal(await queue.count(), 0);
        server.clock.advance(seconds(-12));
        await queue.put("second", { timeToLive: 10 });
        server.clock.advance(seconds(12));
        await sweep();
        assert.equal(await queue.count(), 0);
      } finally {
        await server.close();
      }
    });

    test("expired messages, and those of deleted and cleared queues, are removed to the last record", async () => {
      const server = await startTestServer({ engine });
      try {
        const queues = queueContext(server.runtime.parts);
        const queue = await openFace(server, "service", "jobs");
        const runAll = async (): Promise<void> => {
          for (const job of queueJobs(queues)) while ((await job.run()) === "more");
        };
        const records = (): Promise<number> =>
          server.runtime.parts.store.read(async (read) => {
            let count = 0;
            for await (const _ of read.range({ from: "q", to: "r" })) count++;
            return count;
          });
        for (let i = 0; i < 600; i++)
          await queue.put(`old ${i}`, { timeToLive: 5 + 2 * (i % 2), delay: i % 3 });
        const [received] = await queue.get({ hideFor: 100 });
        assert.equal(await queue.count(), 600);
        server.clock.advance(seconds(6));
        await runAll();
        assert.equal(await queue.count(), 300);
        server.clock.advance(seconds(2));
        await runAll();
        assert.equal(await queue.count(), 0);
        await assert.rejects(queue.delete(received!), refusedWith("MessageNotFound"));
        assert.equal(await records(), 2, "the queue and its counter");

        for (let i = 0; i < 600; i++) await queue.put(`kept ${i}`);
        await queue.clear();
        await queue.put("new");
        for (let i = 0; i < 3; i++) await queue.put(`brief ${i}`, { timeToLive: 2 });
        await runAll();
        assert.equal(await queue.count(), 4);
        assert.equal(await records(), 2 + 4 + 3, "and a sweep for each time at which messages expire");
        await queue.dropQueue();
        server.clock.advance(seconds(3));
        await runAll();
        assert.equal(await records(), 2, "the sweeps for what would have expired in a week");
        server.clock.advance(seconds(8 * DAY));
        await runAll();
        assert.equal(await records(), 0);
      } finally {
        await server.close();
      }
    });
  });
}
