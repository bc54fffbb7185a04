import type { PlainRequest } from "../../../bench/sign.ts";
import { KIB } from "../../../src/base/limits.ts";
import type { Change, RegisterOperation } from "../registers.ts";
import { judgeRegisters, unexpected } from "./blobs.ts";
import { contentOf, pageValue, pickOf, type Recorder, type Scene } from "./stage.ts";

/** Files of a few pages: ranges of them are written, cleared and read, each as a whole. */
const FILES = 4;
const PAGES = 6;
const PAGE_BYTES = 2 * KIB;

export class PageScene implements Scene {
  readonly #histories = new Map<string, RegisterOperation[]>();
  #made = 0;

  async prepare(client: Recorder): Promise<void> {
    const share = `/${client.stage.name}`;
    await client.insist("file", { method: "PUT", path: share, query: { restype: "share" } }, [201, 409]);
    for (let file = 0; file < FILES; file++) {
      const headers = { "x-ms-type": "file", "x-ms-content-length": String(PAGES * PAGE_BYTES) };
      await client.insist("file", { method: "PUT", path: `${share}/f${file}`, headers }, [201]);
    }
  }

  async act(client: Recorder, number: number): Promise<void> {
    const { random, name } = client.stage;
    const file = `f${pickOf(random, FILES)}`;
    const from = pickOf(random, PAGES);
    const to = from + 1 + pickOf(random, PAGES - from);
    const choice = random.fraction();
    if (choice < 0.45) return this.#read(client, number, file, from, to);
    const isClear = choice < 0.52;
    const value = `${name}-${file}-${++this.#made}`;
    const request: PlainRequest = {
      method: "PUT",
      path: `/${name}/${file}`,
      query: { comp: "range" },
      headers: { "x-ms-write": isClear ? "clear" : "update", "x-ms-range": rangeOf(from, to) },
      ...(isClear ? {} : { body: contentOf(value, (to - from) * PAGE_BYTES) }),
    };
    const timed = await client.send("file", request);
    const { reply, start, end } = timed;
    if (reply !== undefined && reply.status !== 201) unexpected(timed);
    const changes = pagesOf(from, to).map(
      (key): Change => (isClear ? { kind: "clear", key } : { kind: "put", key, value }),
    );
    const output = reply === undefined ? undefined : { done: changes.map(() => undefined) };
    this.#historyOf(file).push({ client: number, start, end, input: { do: "change", changes }, output });
  }

  async #read(client: Recorder, number: number, file: string, from: number, to: number): Promise<void> {
    const headers = { "x-ms-range": rangeOf(from, to) };
    const path = `/${client.stage.name}/${file}`;
    const timed = await client.send("file", { method: "GET", path, headers });
    const { reply, start, end } = timed;
    if (reply === undefined) return;
    if (reply.status !== 206) unexpected(timed);
    const found = pagesOf(from, to).map((_, index) => {
      const page = reply.body.subarray(index * PAGE_BYTES, (index + 1) * PAGE_BYTES);
      return page.every((byte) => byte === 0) ? undefined : { value: pageValue(page) };
    });
    const input = { do: "read", keys: pagesOf(from, to) } as const;
    this.#historyOf(file).push({ client: number, start, end, input, output: { found } });
  }

  #historyOf(file: string): RegisterOperation[] {
    const history = this.#histories.get(file) ?? [];
    this.#histories.set(file, history);
    return history;
  }

  async finish(client: Recorder): Promise<void> {
    for (let file = 0; file < FILES; file++) await this.#read(client, -1, `f${file}`, 0, PAGES);
  }

  judge(): { readonly operations: number; readonly fault: string | undefined } {
    return judgeRegisters("file", this.#histories);
  }
}

const rangeOf = (from: number, to: number): string => `bytes=${from * PAGE_BYTES}-${to * PAGE_BYTES - 1}`;

const pagesOf = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `page${from + index}`);
