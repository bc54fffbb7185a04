import assert from "node:assert/strict";
import fc from "fast-check";
import { ManualClock } from "../../src/base/clock.ts";
import { LocalMessages } from "../../src/base/messages.ts";
import { seededRandom } from "../../src/base/random.ts";
import { Refusal } from "../../src/base/refusals.ts";
import { parseReceipt, printReceipt, type Receipt } from "../../src/concurrency/visibility.ts";
import { silentLog } from "../../src/observability/log.ts";
import type { Payloads } from "../../src/services/payload/payloads.ts";
import { clearMessages } from "../../src/services/queue/clear-messages.ts";
import { type QueueContext, queueContext } from "../../src/services/queue/context.ts";
import { createQueue } from "../../src/services/queue/create-queue.ts";
import { deleteMessage } from "../../src/services/queue/delete-message.ts";
import { getMessages } from "../../src/services/queue/get-messages.ts";
import { getQueueMetadata } from "../../src/services/queue/get-queue-metadata.ts";
import { queueJobs } from "../../src/services/queue/jobs.ts";
import { peekMessages } from "../../src/services/queue/peek-messages.ts";
import { putMessage } from "../../src/services/queue/put-message.ts";
import { updateMessage } from "../../src/services/queue/update-message.ts";
import type { Store } from "../../src/store/kv.ts";
import { type Outcome, QueueModel } from "./queue-model.ts";

/**
 * One step of a history. Messages and receipts are picked among those there have been, by a number modulo.
 */
export type QueueStep =
  | { readonly do: "wait"; readonly millis: number }
  | { readonly do: "put"; readonly delay: number; readonly timeToLive: number | "never" }
  | { readonly do: "get"; readonly count: number; readonly hideFor: number }
  | { readonly do: "peek"; readonly count: number }
  | {
      readonly do: "update";
      readonly receipt: number;
      readonly message: number | "its own";
      readonly hideFor: number;
      readonly text: boolean;
    }
  | { readonly do: "delete"; readonly receipt: number; readonly message: number | "its own" }
  | { readonly do: "clear" }
  | { readonly do: "sweep" };

const second = fc.integer({ min: 1, max: 8 }).map((count) => count * 1_000);
// Mostly the newest receipts: the old ones are all refused alike.
const picked = fc.nat({ max: 1_000 });
const whose = fc.oneof(
  { weight: 8, arbitrary: fc.constant("its own" as const) },
  { weight: 1, arbitrary: picked },
);

const step: fc.Arbitrary<QueueStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      millis: fc.oneof(fc.constantFrom(1, 999, 1_000), fc.nat({ max: 6_000 })),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("put" as const),
      delay: fc.oneof(fc.constant(0), second),
      timeToLive: fc.oneof(
        second,
        fc.constant("never" as const),
        fc.constant(10_000_000),
        fc.constant(604_800_000),
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("get" as const),
      count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 32 })),
      hideFor: second,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("peek" as const), count: fc.integer({ min: 1, max: 32 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("update" as const),
      receipt: picked,
      message: whose,
      hideFor: fc.oneof(fc.constant(0), second),
      text: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("delete" as const), receipt: picked, message: whose }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clear" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("sweep" as const) }) },
);

// "max": the usual sizes are too short to have something hidden, something expired and a receipt to spare.
export const queueHistory = fc.array(step, { minLength: 1, maxLength: 60, size: "max" });

const ref = { account: "model", queue: "history" };

/**
 * The service under test, in the model's terms: ids and receipts become the numbers of their first
 * appearance.
 */
class NumberedQueue {
  readonly #queues: QueueContext;
  readonly #ids: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #receipts: { readonly receipt: Receipt; readonly message: number }[] = [];

  constructor(queues: QueueContext) {
    this.#queues = queues;
  }

  ownerOf(receipt: number): number {
    return this.#receipts[receipt]!.message;
  }

  put(text: string, delay: number, timeToLive: number | "never"): Promise<unknown> {
    return outcomeOf(async () => {
      const request = { ref, text: Buffer.from(text), visibilityTimeout: delay, timeToLive };
      const { messageId, receipt, visibleAt, expiresAt } = await putMessage(this.#queues, request);
      assert.ok(!this.#numbers.has(messageId), "an id was given twice");
      const message = this.#ids.push(messageId) - 1;
      this.#numbers.set(messageId, message);
      return { message, receipt: this.#remember(receipt, message), visibleAt, expiresAt };
    });
  }

  async get(count: number, hideFor: number): Promise<unknown> {
    const taken = await getMessages(this.#queues, { ref, count, visibilityTimeout: hideFor });
    return taken.map(({ messageId, receipt, text, ...rest }) => {
      const message = this.#numbers.get(messageId)!;
      const number = this.#remember(receipt, message);
      return { ...rest, text: Buffer.from(text).toString(), message, receipt: number };
    });
  }

  async peek(count: number): Promise<unknown> {
    const given = await peekMessages(this.#queues, { ref, count });
    return given.map(({ messageId, text, ...rest }) => ({
      ...rest,
      text: Buffer.from(text).toString(),
      message: this.#numbers.get(messageId),
    }));
  }

  update(message: number, receipt: number, hideFor: number, text: string | undefined): Promise<unknown> {
    return outcomeOf(async () => {
      const next = await updateMessage(this.#queues, {
        ...this.#named(message, receipt),
        visibilityTimeout: hideFor,
        text: text === undefined ? undefined : Buffer.from(text),
      });
      return { receipt: this.#remember(next, message), visibleAt: next.visibleAt };
    });
  }

  delete(message: number, receipt: number): Promise<unknown> {
    return outcomeOf(async () => {
      await deleteMessage(this.#queues, this.#named(message, receipt));
      return "deleted";
    });
  }

  #named(message: number, receipt: number) {
    return { ref, messageId: this.#ids[message]!, receipt: this.#receipts[receipt]!.receipt };
  }

  /** Through its wire form, which must lose nothing. */
  #remember(receipt: Receipt, message: number): number {
    const parsed = parseReceipt(printReceipt(receipt));
    assert.ok(parsed !== undefined);
    return this.#receipts.push({ receipt: parsed, message }) - 1;
  }
}

async function outcomeOf<T>(run: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.code };
    throw error;
  }
}

export type OpenStore = (options: {
  readonly clock: ManualClock;
}) => Promise<{ readonly store: Store; remove(): Promise<void> }>;

/** Runs a history on the service and on the model, and compares everything both of them say. */
export async function queueFollowsModel(open: OpenStore, steps: readonly QueueStep[]): Promise<void> {
  const clock = new ManualClock();
  const { store, remove } = await open({ clock });
  try {
    // Messages are kept in records; a queue never touches the payload.
    const payloads = undefined as unknown as Payloads;
    const parts = {
      store,
      clock,
      random: seededRandom(steps.length),
      log: silentLog,
      payloads,
      messages: new LocalMessages(),
    };
    const queues = queueContext(parts);
    await createQueue(queues, ref, {});
    const model = new QueueModel(clock.now());
    const real = new NumberedQueue(queues);
    for (const [index, current] of steps.entries()) {
      await runStep(current, `text ${index}`, { clock, model, real, queues });
      const { approximateMessagesCount } = await getQueueMetadata(queues, ref);
      assert.ok(approximateMessagesCount >= model.living(), "fewer are counted than are there");
    }
    await sweep(queues, model);
    assert.deepEqual(await real.peek(32), model.peek(32));
  } finally {
    await remove();
  }
}

interface Stage {
  readonly clock: ManualClock;
  readonly model: QueueModel;
  readonly real: NumberedQueue;
  readonly queues: QueueContext;
}

async function runStep(current: QueueStep, text: string, stage: Stage): Promise<void> {
  const { clock, model, real, queues } = stage;
  switch (current.do) {
    case "wait":
      clock.advance(current.millis);
      model.now = clock.now();
      return;
    case "put": {
      const { delay, timeToLive } = current;
      assert.deepEqual(await real.put(text, delay, timeToLive), model.put(text, { delay, timeToLive }));
      return;
    }
    case "get": {
      const { count, hideFor } = current;
      assert.deepEqual(await real.get(count, hideFor), model.get(count, hideFor));
      return;
    }
    case "peek":
      assert.deepEqual(await real.peek(current.count), model.peek(current.count));
      return;
    case "update":
    case "delete": {
      const given = model.receiptsGiven;
      if (given === 0) return;
      const receipt = given - 1 - (current.receipt % Math.min(given, 12));
      const message =
        current.message === "its own" ? real.ownerOf(receipt) : current.message % model.messagesPut;
      if (current.do === "delete") {
        assert.deepEqual(await real.delete(message, receipt), model.delete(message, receipt));
        return;
      }
      const change = { hideFor: current.hideFor, text: current.text ? text : undefined };
      const expected = model.update(message, receipt, change);
      assert.deepEqual(await real.update(message, receipt, change.hideFor, change.text), expected);
      return;
    }
    case "clear":
      await clearMessages(queues, ref);
      model.clear();
      return;
    case "sweep":
      await sweep(queues, model);
      return;
  }
}

/** What goes on in the background changes nothing that anybody sees, but for the count, which comes near. */
async function sweep(queues: QueueContext, model: QueueModel): Promise<void> {
  for (const job of queueJobs(queues)) {
    let state = await job.run();
    while (state === "more") state = await job.run();
  }
  const { approximateMessagesCount } = await getQueueMetadata(queues, ref);
  assert.ok(approximateMessagesCount >= model.living(), "fewer are counted than are there");
  assert.ok(
    approximateMessagesCount <= model.livingOrJustExpired(),
    "messages that expired long ago are counted",
  );
}
