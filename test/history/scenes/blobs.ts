import type { PlainRequest } from "../../../bench/sign.ts";
import { KIB } from "../../../src/base/limits.ts";
import { checkHistory, printStory } from "../linearizability.ts";
import {
  type Condition,
  type RegisterInput,
  type RegisterOperation,
  type RegisterOutput,
  registers,
  reusedEtag,
} from "../registers.ts";
import { contentOf, pickOf, type Recorder, type Scene, type Timed, valueIn } from "./stage.ts";

/** Blobs as registers: read, replace, create and delete them, with ETags and without. */
const BLOBS = 6;
/** Inside the record, and outside it in an extent. */
const SIZES = [100, 600, 20 * KIB];

export class BlobScene implements Scene {
  readonly #histories = new Map<string, RegisterOperation[]>();
  readonly #known = new Map<string, string>();
  #made = 0;

  async prepare(client: Recorder): Promise<void> {
    const path = `/${client.stage.name}`;
    await client.insist("blob", { method: "PUT", path, query: { restype: "container" } }, [201, 409]);
  }

  async act(client: Recorder, number: number): Promise<void> {
    const { random, name } = client.stage;
    const blob = `b${pickOf(random, BLOBS)}`;
    const path = `/${name}/${blob}`;
    const choice = pickOf(random, 20);
    if (choice < 8) {
      const timed = await client.send("blob", { method: "GET", path });
      const { reply } = timed;
      if (reply === undefined) return;
      const etag = reply.headers.get("etag");
      const found = reply.status === 404 ? undefined : { value: valueIn(reply.body), etag };
      if (found !== undefined && etag !== undefined) this.#known.set(blob, etag);
      const output = reply.status === 200 || reply.status === 404 ? { found: [found] } : unexpected(timed);
      this.#record(blob, number, { do: "read", keys: [blob] }, timed, output);
      return;
    }
    const condition = this.#condition(blob, choice);
    const conditions = condition === undefined ? {} : { condition };
    if (choice === 19) {
      const isCreate = condition !== undefined && "ifNoneMatch" in condition;
      const headers = isCreate ? {} : headersOf(condition);
      const timed = await client.send("blob", { method: "DELETE", path, headers });
      const change = { kind: "delete", key: blob, ...(isCreate ? {} : conditions) } as const;
      this.#record(blob, number, { do: "change", changes: [change] }, timed, this.#outcome(timed, 202));
      return;
    }
    const value = `${name}-${blob}-${++this.#made}`;
    const request: PlainRequest = {
      method: "PUT",
      path,
      headers: { "x-ms-blob-type": "BlockBlob", ...headersOf(condition) },
      body: contentOf(value, SIZES[pickOf(random, SIZES.length)]!),
    };
    const timed = await client.send("blob", request);
    const etag = timed.reply?.headers.get("etag");
    if (timed.reply?.status === 201 && etag !== undefined) this.#known.set(blob, etag);
    const change = { kind: "put", key: blob, value, ...conditions } as const;
    this.#record(blob, number, { do: "change", changes: [change] }, timed, this.#outcome(timed, 201));
  }

  #condition(blob: string, choice: number): Condition | undefined {
    const etag = this.#known.get(blob);
    if (choice >= 10 && choice < 17 && etag !== undefined) return { ifMatch: etag };
    return choice === 17 ? { ifNoneMatch: "*" } : undefined;
  }

  #outcome(timed: Timed, done: number): RegisterOutput | undefined {
    const { reply } = timed;
    if (reply === undefined) return undefined;
    if (reply.status === done) return { done: [done === 201 ? reply.headers.get("etag") : undefined] };
    if (reply.status === 404) return { refused: "missing" };
    if (reply.status === 409) return { refused: "exists" };
    return reply.status === 412 ? { refused: "notMet" } : unexpected(timed);
  }

  #record(
    blob: string,
    client: number,
    input: RegisterInput,
    { start, end }: Timed,
    output: RegisterOutput | undefined,
  ): void {
    const history = this.#histories.get(blob) ?? [];
    this.#histories.set(blob, history);
    history.push({ client, start, end, input, output });
  }

  /** What is there in the end: nothing that was acknowledged may be missing from it. */
  async finish(client: Recorder): Promise<void> {
    for (let blob = 0; blob < BLOBS; blob++) await this.#last(client, `b${blob}`);
  }

  async #last(client: Recorder, blob: string): Promise<void> {
    const timed = await client.send("blob", { method: "GET", path: `/${client.stage.name}/${blob}` });
    const { reply } = timed;
    if (reply === undefined) return;
    const found = reply.status === 404 ? undefined : { value: valueIn(reply.body) };
    this.#record(blob, -1, { do: "read", keys: [blob] }, timed, { found: [found] });
  }

  judge(): { readonly operations: number; readonly fault: string | undefined } {
    return judgeRegisters("blob", this.#histories);
  }
}

function headersOf(condition: Condition | undefined): Record<string, string> {
  if (condition === undefined) return {};
  return "ifMatch" in condition ? { "If-Match": condition.ifMatch } : { "If-None-Match": "*" };
}

export function unexpected({ reply }: Timed): never {
  throw new Error(
    `an answer that nobody expected: ${reply?.status} ${reply?.code} ${reply?.body.toString()}`,
  );
}

export function judgeRegisters(
  what: string,
  histories: ReadonlyMap<string, readonly RegisterOperation[]>,
): { readonly operations: number; readonly fault: string | undefined } {
  let operations = 0;
  let fault: string | undefined;
  for (const [key, history] of histories) {
    operations += history.length;
    if (fault !== undefined) continue;
    const reused = reusedEtag(history);
    if (reused !== undefined) fault = `${what} ${key}: the ETag ${reused} stands for two values`;
    const verdict = checkHistory(history, registers(history));
    if (verdict.legal === undefined) fault = `${what} ${key}: undecided after ${verdict.steps} steps`;
    else if (!verdict.legal) fault = `${what} ${key}: ${printStory(verdict.story)}`;
  }
  return { operations, fault };
}
