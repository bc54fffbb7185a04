import { seededRandom } from "../../../src/base/random.ts";
import {
  INFINITE,
  type LeaseInput,
  type LeaseOperation,
  type LeaseOutput,
  leaseLock,
} from "../lease-lock.ts";
import { checkHistory, printStory } from "../linearizability.ts";
import { unexpected } from "./blobs.ts";
import { contentOf, pickOf, type Recorder, type Scene, type Timed, valueIn } from "./stage.ts";

/** Leased blobs: clients lock them, write with the lock and without, break what others hold. */
const BLOBS = 3;
const BYTES = 120;

export class LeaseScene implements Scene {
  readonly #histories = new Map<string, LeaseOperation[]>();
  /** The ids a client has used last, by client and blob: what it believes to hold. */
  readonly #held = new Map<string, string>();
  #made = 0;

  async prepare(client: Recorder): Promise<void> {
    const { name } = client.stage;
    const path = `/${name}-leased`;
    await client.insist("blob", { method: "PUT", path, query: { restype: "container" } }, [201, 409]);
    for (let blob = 0; blob < BLOBS; blob++) {
      const headers = { "x-ms-blob-type": "BlockBlob" };
      const body = contentOf("first", BYTES);
      await client.insist("blob", { method: "PUT", path: `${path}/l${blob}`, headers, body }, [201, 412]);
    }
  }

  async act(client: Recorder, number: number): Promise<void> {
    const { random } = client.stage;
    const blob = `l${pickOf(random, BLOBS)}`;
    await this.#do(client, number, blob, this.#choose(client, number, blob));
  }

  #choose(client: Recorder, number: number, blob: string): LeaseInput {
    const { random, name } = client.stage;
    const mine = this.#held.get(`${number} ${blob}`);
    const value = `${name}-${blob}-${++this.#made}`;
    const choice = pickOf(random, 20);
    if (mine === undefined ? choice < 8 : choice < 1) {
      const id = mine ?? seededRandom(pickOf(random, 2 ** 30) + number).uuid();
      this.#held.set(`${number} ${blob}`, id);
      return { do: "acquire", id, length: INFINITE };
    }
    if (mine !== undefined) {
      if (choice < 6) return { do: "write", id: mine, value };
      if (choice < 8) return { do: "renew", id: mine };
      if (choice < 12) {
        this.#held.delete(`${number} ${blob}`);
        return { do: "release", id: mine };
      }
    }
    if (choice < 14) return { do: "write", id: undefined, value };
    return choice === 14 ? { do: "break" } : { do: "read" };
  }

  async #do(client: Recorder, number: number, blob: string, input: LeaseInput): Promise<void> {
    const path = `/${client.stage.name}-leased/${blob}`;
    const timed = await client.send("blob", requestOf(path, input));
    if (timed.reply === undefined && input.do === "read") return;
    const { start, end } = timed;
    const history = this.#histories.get(blob) ?? [];
    this.#histories.set(blob, history);
    history.push({ client: number, start, end, input, output: outcomeOf(input, timed) });
  }

  async finish(client: Recorder): Promise<void> {
    for (let blob = 0; blob < BLOBS; blob++) await this.#do(client, -1, `l${blob}`, { do: "read" });
  }

  judge(): { readonly operations: number; readonly fault: string | undefined } {
    let operations = 0;
    let fault: string | undefined;
    for (const [blob, history] of this.#histories) {
      operations += history.length;
      if (fault !== undefined) continue;
      const verdict = checkHistory(history, leaseLock("first"));
      if (verdict.legal === undefined) fault = `lease of ${blob}: undecided after ${verdict.steps} steps`;
      else if (!verdict.legal) fault = `lease of ${blob}: ${printStory(verdict.story)}`;
    }
    return { operations, fault };
  }
}

function requestOf(path: string, input: LeaseInput) {
  const action = (headers: Record<string, string>) => ({
    method: "PUT",
    path,
    query: { comp: "lease" },
    headers: { "x-ms-lease-action": input.do, ...headers },
  });
  switch (input.do) {
    case "acquire":
      return action({ "x-ms-proposed-lease-id": input.id, "x-ms-lease-duration": "-1" });
    case "renew":
    case "release":
      return action({ "x-ms-lease-id": input.id });
    case "break":
      return action({ "x-ms-lease-break-period": "0" });
    case "write": {
      const lease: Record<string, string> = input.id === undefined ? {} : { "x-ms-lease-id": input.id };
      const headers = { "x-ms-blob-type": "BlockBlob", ...lease };
      return { method: "PUT", path, headers, body: contentOf(input.value, BYTES) };
    }
    case "read":
      return { method: "GET", path };
  }
}

function outcomeOf(input: LeaseInput, timed: Timed): LeaseOutput | undefined {
  const { reply } = timed;
  if (reply === undefined) return undefined;
  if (input.do === "read") {
    if (reply.status !== 200) return unexpected(timed);
    return { value: valueIn(reply.body), isLocked: reply.headers.get("x-ms-lease-status") === "locked" };
  }
  if (reply.status < 300) return { done: true };
  return reply.status === 409 || reply.status === 412 ? { refused: true } : unexpected(timed);
}
