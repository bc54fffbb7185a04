import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isWriteLockMessage, WriteLockArbiter } from "../../../src/store/embedded/write-lock.ts";
import { bundleScript } from "../../support/bundle.ts";
import { temporaryDirectory } from "../store/engines.ts";

export type Command =
  | { do: "ready" | "hold" | "forgetDeadReaders" | "close" }
  | { do: "put"; key: string; value: string; isEphemeral?: boolean }
  | { do: "get"; key: string; isEphemeral?: boolean }
  | { do: "count"; key: string; times: number; writers: number; isReported?: boolean }
  | { do: "revisions"; times: number }
  | { do: "overwrite"; key: string; times: number; bytes: number }
  | { do: "reopen"; times: number }
  | { do: "churn"; times: number; seed: number }
  | { do: "releaseOwner"; owner: string };

export interface Call {
  readonly id: number;
  readonly command: Command;
}

interface Answer {
  readonly id?: number;
  readonly answer?: unknown;
  readonly error?: string;
  readonly acknowledged?: number;
}

/** A process on the shared store, as its parent sees it. */
export class Member {
  readonly number: number;
  readonly owner: string;
  readonly acknowledged: number[] = [];
  onAcknowledged: () => void = () => {};
  readonly #process: ChildProcess;
  readonly #calls = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #nextCall = 1;
  #isDead = false;

  constructor(number: number, owner: string, child: ChildProcess) {
    this.number = number;
    this.owner = owner;
    this.#process = child;
    child.on("exit", () => {
      this.#isDead = true;
      for (const { reject } of this.#calls.values()) reject(new Error(`${owner} is dead`));
      this.#calls.clear();
    });
  }

  call(command: Command): Promise<unknown> {
    const id = this.#nextCall++;
    return new Promise((resolve, reject) => {
      if (this.#isDead) return reject(new Error(`${this.owner} is dead`));
      this.#calls.set(id, { resolve, reject });
      this.send({ id, command });
    });
  }

  send(message: object): void {
    if (!this.#isDead && this.#process.connected) this.#process.send(message, () => {});
  }

  hear({ id, answer, error, acknowledged }: Answer): void {
    if (acknowledged !== undefined) {
      this.acknowledged.push(acknowledged);
      this.onAcknowledged();
    }
    const call = id === undefined ? undefined : this.#calls.get(id);
    if (id === undefined || call === undefined) return;
    this.#calls.delete(id);
    if (error === undefined) call.resolve(answer);
    else call.reject(new Error(error));
  }

  async kill(): Promise<void> {
    if (this.#isDead) return;
    const gone = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await gone;
  }
}

/** What they run, made once for all fleets of a process. */
const scriptDirectory = temporaryDirectory();
const script = join(scriptDirectory, "child.mjs");
let bundled: Promise<void> | undefined;
process.once("exit", () => rmSync(scriptDirectory, { recursive: true, force: true }));

/** Processes that share one embedded store, and the arbiter of the write lock, as a supervisor is. */
export class Fleet {
  readonly directory = temporaryDirectory();
  readonly #members = new Map<number, Member>();
  readonly #arbiter = new WriteLockArbiter((number, message) => this.#members.get(number)?.send(message));
  #nextNumber = 1;

  static async start(count: number): Promise<{ fleet: Fleet; members: Member[] }> {
    bundled ??= bundleScript(fileURLToPath(new URL("./child.ts", import.meta.url)), script);
    await bundled;
    const fleet = new Fleet();
    return { fleet, members: await Promise.all(Array.from({ length: count }, () => fleet.add())) };
  }

  async add(): Promise<Member> {
    const number = this.#nextNumber++;
    const owner = `process-${number}`;
    const child = fork(script, [join(this.directory, "data"), owner], { execArgv: [] });
    const member = new Member(number, owner, child);
    this.#members.set(number, member);
    child.on("message", (message) => {
      if (isWriteLockMessage(message)) this.#arbiter.receive(number, message);
      else member.hear(message as Answer);
    });
    child.on("exit", () => {
      this.#members.delete(number);
      this.#arbiter.forget(number);
    });
    await member.call({ do: "ready" });
    return member;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#members.values()].map((member) => member.kill()));
    rmSync(this.directory, { recursive: true, force: true });
  }
}
