import type { Clock } from "../../src/base/clock.ts";
import type { FileSystem, Share, ShareEntry } from "../../src/smb/file-system.ts";
import { type FileTime, fileTimeAt } from "../../src/smb/wire/filetime.ts";
import { MemoryShare } from "./smb-memory-share.ts";

/** Shares in memory, for tests of the protocol alone: no store, no REST, nothing kept. */
export class MemoryFileSystem implements FileSystem {
  readonly #clock: Clock;
  #lastTime: FileTime = 0n;
  readonly #shares = new Map<string, MemoryShare>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(account: string, name: string): MemoryShare {
    const id = BigInt(this.#shares.size + 1) * 0x1_0001n;
    const share = new MemoryShare({ name, id, now: () => this.#nextTime() });
    this.#shares.set(`${account}/${name.toUpperCase()}`, share);
    return share;
  }

  /** As in the store: no two moments are the same, however fast they follow each other. */
  #nextTime(): FileTime {
    const now = fileTimeAt(this.#clock.now());
    this.#lastTime = now > this.#lastTime ? now : this.#lastTime + 1n;
    return this.#lastTime;
  }

  async shares(account: string): Promise<readonly ShareEntry[]> {
    const own = [...this.#shares].filter(([key]) => key.startsWith(`${account}/`));
    return own.map(([, { name }]) => ({ name, comment: "" }));
  }

  async share(account: string, name: string): Promise<Share | undefined> {
    return this.#shares.get(`${account}/${name.toUpperCase()}`);
  }
}
