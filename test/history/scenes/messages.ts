import { monotonic, pause, seconds } from "../../../src/base/clock.ts";
import { checkHistory, printStory } from "../linearizability.ts";
import {
  type GetRecord,
  type MessageInput,
  type MessageOperation,
  message,
  missedMessage,
} from "../message.ts";
import { unexpected } from "./blobs.ts";
import { pickOf, type Recorder, type Scene, type Timed } from "./stage.ts";

/** One queue: put, take, delete, hide anew, and now and then forget a message so that it comes back. */
const HIDE_SECONDS = 1;
/** Between the clock of the server and ours, which also counts whole milliseconds differently. */
const TOLERANCE_MILLIS = 5;
const TAKEN_MAX = 8;
/** So long after the last one nothing is hidden any more. */
const QUIET_MILLIS = 1_200;

interface Taken {
  readonly id: string;
  readonly text: string;
  readonly receipt: string;
  readonly dequeueCount: number;
}

export class MessageScene implements Scene {
  readonly #histories = new Map<string, MessageOperation[]>();
  readonly #gets: GetRecord[] = [];
  readonly #unacknowledgedGets: number[] = [];
  /** Puts whose reply nobody heard, by the text they put: it tells them apart when it is taken. */
  readonly #unacknowledgedPuts = new Map<string, MessageOperation>();
  readonly #texts = new Map<string, string>();
  readonly #inHand = new Map<number, Taken[]>();
  #made = 0;
  #fault: string | undefined;

  async prepare(client: Recorder): Promise<void> {
    await client.insist("queue", { method: "PUT", path: `/${client.stage.name}` }, [201, 204]);
  }

  async act(client: Recorder, number: number): Promise<void> {
    const { random } = client.stage;
    const hand = this.#inHand.get(number) ?? [];
    this.#inHand.set(number, hand);
    if (hand.length > 0) {
      const taken = hand.shift()!;
      const choice = random.fraction();
      if (choice < 0.85) return this.#delete(client, number, taken);
      if (choice < 0.95) return this.#hide(client, number, taken, pickOf(random, 2));
      return;
    }
    if (random.fraction() < 0.6) await this.#put(client, number);
    else hand.push(...(await this.#get(client, number, 1 + pickOf(random, TAKEN_MAX))));
  }

  async #put(client: Recorder, number: number): Promise<void> {
    const text = `${client.stage.name}-${++this.#made}`;
    const body = Buffer.from(`<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`);
    const timed = await client.send("queue", {
      method: "POST",
      path: `/${client.stage.name}/messages`,
      body,
    });
    const { start, end, reply } = timed;
    const input = { do: "put", hiddenFor: 0 } as const;
    if (reply === undefined) {
      this.#unacknowledgedPuts.set(text, { client: number, start, end, input, output: undefined });
      return;
    }
    if (reply.status !== 201) unexpected(timed);
    const [put] = messagesIn(reply.body.toString());
    this.#meet(put!.id, text);
    this.#historyOf(put!.id).push({
      client: number,
      start,
      end,
      input,
      output: { done: true, receipt: put!.receipt },
    });
  }

  async #get(client: Recorder, number: number, asked: number, hideFor = HIDE_SECONDS): Promise<Taken[]> {
    const query = { numofmessages: String(asked), visibilitytimeout: String(hideFor) };
    const timed = await client.send("queue", {
      method: "GET",
      path: `/${client.stage.name}/messages`,
      query,
    });
    const { start, end, reply } = timed;
    if (reply === undefined) {
      this.#unacknowledgedGets.push(start);
      return [];
    }
    if (reply.status !== 200) unexpected(timed);
    const taken = messagesIn(reply.body.toString());
    this.#gets.push({ start, end, asked, ids: taken.map(({ id }) => id) });
    for (const { id, text, receipt, dequeueCount } of taken) {
      this.#meet(id, text);
      const input = { do: "take", hiddenFor: seconds(hideFor) } as const;
      const output = { done: true, receipt, dequeueCount } as const;
      this.#historyOf(id).push({ client: number, start, end, input, output });
    }
    return taken;
  }

  #meet(id: string, text: string): void {
    const known = this.#texts.get(id) ?? text;
    this.#texts.set(id, text);
    if (known !== text) this.#fault ??= `message ${id} was ${known} and now is ${text}`;
  }

  async #delete(client: Recorder, number: number, { id, receipt }: Taken): Promise<void> {
    const path = `/${client.stage.name}/messages/${id}`;
    const timed = await client.send("queue", { method: "DELETE", path, query: { popreceipt: receipt } });
    this.#change(number, id, { do: "delete", receipt }, timed);
  }

  async #hide(client: Recorder, number: number, { id, receipt }: Taken, forSeconds: number): Promise<void> {
    const timed = await client.send("queue", {
      method: "PUT",
      path: `/${client.stage.name}/messages/${id}`,
      query: { popreceipt: receipt, visibilitytimeout: String(forSeconds) },
    });
    this.#change(number, id, { do: "hide", receipt, hiddenFor: seconds(forSeconds) }, timed);
  }

  #change(client: number, id: string, input: MessageInput, timed: Timed): void {
    const { start, end, reply } = timed;
    const history = this.#historyOf(id);
    if (reply === undefined) history.push({ client, start, end, input, output: undefined });
    else if (reply.status === 204) {
      const receipt = reply.headers.get("x-ms-popreceipt");
      const told = receipt === undefined ? {} : { receipt };
      history.push({ client, start, end, input, output: { done: true, ...told } });
    } else if (reply.status === 404 || reply.status === 400) {
      history.push({ client, start, end, input, output: { refused: true } });
    } else unexpected(timed);
  }

  #historyOf(id: string): MessageOperation[] {
    const history = this.#histories.get(id) ?? [];
    this.#histories.set(id, history);
    return history;
  }

  /** Takes out everything that is left; what does not show up now must have been deleted. */
  async finish(client: Recorder): Promise<void> {
    const there = new Set<string>();
    let [quietSince, askedAt] = [monotonic(), 0];
    // The last Get has to begin when nothing is hidden any more: a slow one may have begun before.
    while (askedAt < quietSince + QUIET_MILLIS) {
      askedAt = monotonic();
      const taken = await this.#get(client, -1, 32, 600);
      for (const { id } of taken) there.add(id);
      if (taken.length > 0) quietSince = monotonic();
      else await pause(100);
    }
    const start = monotonic();
    for (const [id, history] of this.#histories) {
      const output = { isThere: there.has(id) };
      history.push({ client: -1, start, end: start + 1, input: { do: "lookLast" }, output });
    }
  }

  /** A message whose put nobody heard is known by its text: it is in the history of the id that shows it. */
  #findPuts(): string | undefined {
    for (const [id, history] of this.#histories) {
      if (history.some(({ input }) => input.do === "put")) continue;
      const put = this.#unacknowledgedPuts.get(this.#texts.get(id)!);
      if (put === undefined) return `message ${id} has the text ${this.#texts.get(id)}, which is another's`;
      this.#unacknowledgedPuts.delete(this.#texts.get(id)!);
      history.push(put);
    }
    return undefined;
  }

  judge(): { readonly operations: number; readonly fault: string | undefined } {
    const facts = { unacknowledgedGets: this.#unacknowledgedGets, tolerance: TOLERANCE_MILLIS };
    const object = message(facts);
    let operations = this.#gets.length;
    let fault = this.#fault ?? this.#findPuts();
    for (const [id, history] of this.#histories) {
      operations += history.filter(({ input }) => input.do !== "take" && input.do !== "lookLast").length;
      if (fault !== undefined) continue;
      const verdict = checkHistory(history, object);
      if (verdict.legal === undefined) fault = `message ${id}: undecided after ${verdict.steps} steps`;
      else if (!verdict.legal) fault = `message ${id}: ${printStory(verdict.story)}`;
    }
    const missed = fault === undefined ? missedMessage(this.#gets, this.#histories, facts) : undefined;
    return { operations, fault: fault ?? (missed && `a Get overlooked ${missed}`) };
  }
}

const MESSAGE = /<QueueMessage>(.*?)<\/QueueMessage>/gs;

function messagesIn(xml: string): Taken[] {
  return [...xml.matchAll(MESSAGE)].map(([, inner]) => {
    const field = (name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(inner!)?.[1] ?? "";
    return {
      id: field("MessageId"),
      text: field("MessageText"),
      receipt: field("PopReceipt"),
      dequeueCount: Number(field("DequeueCount")),
    };
  });
}
