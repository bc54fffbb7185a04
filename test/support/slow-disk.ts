import assert from "node:assert/strict";
import { ManualClock } from "../../src/base/clock.ts";
import { StorageFault } from "../../src/base/faults.ts";
import type { Key, Writer } from "../../src/store/kv.ts";
import { OrderedMap } from "../../src/store/memory/ordered-map.ts";
import { SerialWriter, type WriteLock } from "../../src/store/serial-writer.ts";

/** A disk whose commits end when the story says so, well or badly. */
export class SlowDisk {
  readonly map = new OrderedMap();
  readonly commits: { keys: Key[]; end(fault?: Error): void }[] = [];
  rests = 0;
  refresh = () => this.map.snapshot();
  takeOver = this.refresh;
  releaseSnapshot = (): void => {
    this.rests++;
  };
  commit = (writes: ReadonlyMap<Key, Buffer | null>): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (fault?: Error): void => {
        if (fault !== undefined) {
          reject(fault);
          return;
        }
        for (const [key, value] of writes) {
          if (value === null) this.map.delete(key);
          else this.map.set(key, value);
        }
        resolve();
      };
      this.commits.push({ keys: [...writes.keys()], end });
    });

  /** Waits until a commit is under way, and takes it. */
  async next(): Promise<{ keys: Key[]; end(fault?: Error): void }> {
    for (let turn = 0; turn < 50 && this.commits.length === 0; turn++) await settled();
    const commit = this.commits.shift();
    assert.ok(commit !== undefined, "no commit is under way");
    return commit;
  }
}

export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
export const full = new StorageFault("no space left", { isTransient: true });

export function increment(key: Key): (write: Writer) => Promise<number> {
  return async (write) => {
    const count = Number((await write.get(key))?.toString() ?? 0) + 1;
    write.put(key, Buffer.from(String(count)));
    return count;
  };
}

export function open(writeLock?: WriteLock): { disk: SlowDisk; writer: SerialWriter } {
  const disk = new SlowDisk();
  return { disk, writer: new SerialWriter(disk, new ManualClock(), writeLock) };
}
