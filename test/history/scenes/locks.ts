import { ACCOUNT, KEY } from "../../../bench/sign.ts";
import { monotonic } from "../../../src/base/clock.ts";
import { STATUS } from "../../../src/smb/wire/status.ts";
import { type ClientFile, SmbStatus, SmbTestClient } from "../../kit/smb-test-client.ts";
import { checkHistory, printStory } from "../linearizability.ts";
import {
  type LockInput,
  type LockOperation,
  type LockOutput,
  rangeLocks,
  type Span,
} from "../range-locks.ts";
import { unexpected } from "./blobs.ts";
import { contentOf, pageValue, pickOf, type Recorder, type Scene } from "./stage.ts";

/**
 * One file through two doors: SMB clients lock, read and write parts of it, REST clients read parts and write
 * the whole. What a handle holds goes with the process that serves it, so this scene is for histories without
 * deaths. Where there are several members, SMB clients are spread over them like the others.
 */
const PAGES = 4;
const PAGE_BYTES = 512;
const FILE = "locked";
/** Of the clients, every other one comes over SMB. */
const isOverSmb = (number: number): boolean => number % 2 === 0;

interface Visitor {
  readonly smb: SmbTestClient;
  readonly file: ClientFile;
  readonly held: Span[];
}

export class LockScene implements Scene {
  readonly #smbPort: (client: number) => number;
  readonly #history: LockOperation[] = [];
  readonly #visitors = new Map<number, Visitor>();
  #made = 0;
  /** Nobody dies in this scene: a handle that its client has not closed is there, whatever else goes on. */
  #lost: string | undefined;

  constructor(smbPort: (client: number) => number) {
    this.#smbPort = smbPort;
  }

  async prepare(client: Recorder): Promise<void> {
    const share = `/${client.stage.name}`;
    await client.insist("file", { method: "PUT", path: share, query: { restype: "share" } }, [201, 409]);
    const headers = { "x-ms-type": "file", "x-ms-content-length": String(PAGES * PAGE_BYTES) };
    await client.insist("file", { method: "PUT", path: `${share}/${FILE}`, headers }, [201]);
  }

  async act(client: Recorder, number: number): Promise<void> {
    const { random, name } = client.stage;
    const from = pickOf(random, PAGES);
    const to = from + 1 + pickOf(random, PAGES - from);
    const value = `${name}-lock-${++this.#made}`;
    const choice = random.fraction();
    if (!isOverSmb(number)) {
      const input: LockInput = choice < 0.5 ? { do: "restWrite", value } : { do: "restRead", from, to };
      return this.#rest(client, number, input);
    }
    const visitor = await this.#visitor(name, number);
    const { held } = visitor;
    if (held.length > 0 && (choice < 0.45 || held.length > 2)) {
      const span = held.splice(pickOf(random, held.length), 1)[0]!;
      return this.#smb(visitor, number, { do: "unlock", ...span });
    }
    if (choice < 0.65) {
      return this.#smb(visitor, number, { do: "lock", from, to, isExclusive: random.fraction() < 0.6 });
    }
    if (choice < 0.85) return this.#smb(visitor, number, { do: "smbRead", from, to });
    return this.#smb(visitor, number, { do: "smbWrite", from, to, value });
  }

  async #visitor(share: string, number: number): Promise<Visitor> {
    const known = this.#visitors.get(number);
    if (known !== undefined) return known;
    const port = this.#smbPort(number);
    const smb = await SmbTestClient.connect({ port, user: ACCOUNT, password: KEY.toString("base64"), share });
    const visitor: Visitor = { smb, file: await smb.open(FILE, { access: "RW", share: "RWD" }), held: [] };
    this.#visitors.set(number, visitor);
    return visitor;
  }

  async #smb({ smb, file, held }: Visitor, client: number, input: LockInput): Promise<void> {
    const start = monotonic();
    const output = await this.#outcome(smb, file, input);
    const end = monotonic();
    if (output === undefined) {
      this.#lost ??= `locks: the handle of client ${client} was closed by nobody, and is gone at its ${input.do}`;
      return;
    }
    this.#history.push({ client, start, end, input, output });
    if (input.do === "lock" && "done" in output) held.push({ from: input.from, to: input.to });
  }

  async #outcome(smb: SmbTestClient, file: ClientFile, input: LockInput): Promise<LockOutput | undefined> {
    if (input.do === "restWrite" || input.do === "restRead") throw new Error("not over SMB");
    const offset = input.from * PAGE_BYTES;
    const length = (input.to - input.from) * PAGE_BYTES;
    try {
      switch (input.do) {
        case "lock":
          await smb.lock(file, offset, length, input.isExclusive);
          break;
        case "unlock":
          await smb.unlock(file, offset, length);
          break;
        case "smbWrite":
          await smb.write(file, offset, contentOf(input.value, length));
          break;
        default:
          return { found: pagesIn(await smb.read(file, offset, length)) };
      }
      return { done: true };
    } catch (error) {
      if (error instanceof SmbStatus && error.status === STATUS.FILE_CLOSED) return undefined;
      if (!(error instanceof SmbStatus) || !REFUSALS.includes(error.status)) throw error;
      return { refused: true };
    }
  }

  async #rest(
    client: Recorder,
    number: number,
    input: Extract<LockInput, { do: "restWrite" | "restRead" }>,
  ): Promise<void> {
    const path = `/${client.stage.name}/${FILE}`;
    const span = input.do === "restRead" ? input : { from: 0, to: PAGES };
    const range = `bytes=${span.from * PAGE_BYTES}-${span.to * PAGE_BYTES - 1}`;
    const timed =
      input.do === "restRead"
        ? await client.send("file", { method: "GET", path, headers: { "x-ms-range": range } })
        : await client.send("file", {
            method: "PUT",
            path,
            query: { comp: "range" },
            headers: { "x-ms-write": "update", "x-ms-range": range },
            body: contentOf(input.value, PAGES * PAGE_BYTES),
          });
    const { start, end, reply } = timed;
    if (reply === undefined && input.do === "restRead") return;
    let output: LockOutput | undefined;
    if (reply?.status === 409 && reply.code === "FileLockConflict") output = { refused: true };
    else if (reply?.status === 201) output = { done: true };
    else if (reply?.status === 206) output = { found: pagesIn(reply.body) };
    else if (reply !== undefined) unexpected(timed);
    this.#history.push({ client: number, start, end, input, output });
  }

  async finish(): Promise<void> {
    for (const { smb } of this.#visitors.values()) smb.vanish();
  }

  judge(): { readonly operations: number; readonly fault: string | undefined } {
    const verdict = checkHistory(this.#history, rangeLocks(PAGES));
    const operations = this.#history.length;
    if (this.#lost !== undefined) return { operations, fault: this.#lost };
    if (verdict.legal === undefined) return { operations, fault: `locks: undecided after ${verdict.steps}` };
    return { operations, fault: verdict.legal ? undefined : `locks: ${printStory(verdict.story)}` };
  }
}

const REFUSALS: readonly number[] = [
  STATUS.LOCK_NOT_GRANTED,
  STATUS.FILE_LOCK_CONFLICT,
  STATUS.RANGE_NOT_LOCKED,
];

function pagesIn(bytes: Buffer): (string | undefined)[] {
  return Array.from({ length: bytes.length / PAGE_BYTES }, (_, index) => {
    const page = bytes.subarray(index * PAGE_BYTES, (index + 1) * PAGE_BYTES);
    return page.every((byte) => byte === 0) ? undefined : pageValue(page);
  });
}
