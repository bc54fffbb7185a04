import { assert } from "../../../src/base/assert.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { EmbeddedStore } from "../../../src/store/embedded/embedded-store.ts";
import {
  isWriteLockMessage,
  WriteLockClient,
  withWriteLocks,
} from "../../../src/store/embedded/write-lock.ts";
import type { KeySpace, Writer } from "../../../src/store/kv.ts";
import type { Call, Command } from "./fleet.ts";

/** One of several processes on one embedded store. It runs the commands of the test, one message each. */
const [directory, owner] = process.argv.slice(2) as [string, string];

function say(message: object): Promise<void> {
  return new Promise((resolve) => process.send!(message, undefined, {}, () => resolve()));
}

const writeLocks = {
  records: new WriteLockClient("records", (message) => void say(message)),
  ephemeral: new WriteLockClient("ephemeral", (message) => void say(message)),
};

async function increment(write: Writer, key: string): Promise<number> {
  const count = Number((await write.get(key))?.toString() ?? 0) + 1;
  write.put(key, Buffer.from(String(count)));
  return count;
}

/** Puts and deletes values of many sizes under names of its own, and reads back what it has. */
async function churn(store: EmbeddedStore, { times, seed }: { times: number; seed: number }): Promise<void> {
  const random = seededRandom(seed);
  const pick = (count: number): number => Math.floor(random.fraction() * count);
  const kept = new Map<string, number>();
  const contentOf = (key: string, bytes: number): Buffer => Buffer.alloc(bytes, `${key}:${bytes};`);
  for (let round = 0; round < times; round++) {
    const key = `${owner} ${pick(40)}`;
    const bytes = pick(3) === 0 ? 0 : pick(12_000);
    await store.write(async (write) => {
      if (bytes === 0) write.delete(key);
      else write.put(key, contentOf(key, bytes));
    });
    if (bytes === 0) kept.delete(key);
    else kept.set(key, bytes);
    // Changes nothing: LMDB begins a transaction and finds that there is nothing to commit.
    if (pick(2) === 0) await store.write(async (write) => write.delete("never there"));
    if (round % 20 !== 0) continue;
    await store.read(async (read) => {
      for (const [name, size] of kept) {
        assert((await read.get(name))?.equals(contentOf(name, size)) === true, `${name} is damaged`);
      }
    });
  }
}

async function run(command: Command): Promise<unknown> {
  const store = await opening;
  const spaceOf = (isEphemeral: boolean | undefined): KeySpace => (isEphemeral ? store.ephemeral : store);
  switch (command.do) {
    case "ready":
      return undefined;
    case "put":
      return spaceOf(command.isEphemeral).write(async (write) =>
        write.put(command.key, Buffer.from(command.value)),
      );
    case "get":
      return spaceOf(command.isEphemeral).read(async (read) => (await read.get(command.key))?.toString());
    case "count": {
      let left = command.times;
      const writer = async (): Promise<void> => {
        while (left-- > 0) {
          const count = await store.write(async (write) => {
            await increment(write, `${command.key} of ${owner}`);
            return increment(write, command.key);
          });
          // The next one only when the parent's socket has this one: what is in flight stays counted.
          if (command.isReported === true) await say({ acknowledged: count });
        }
      };
      await Promise.all(Array.from({ length: command.writers }, writer));
      return undefined;
    }
    case "revisions": {
      const made: string[] = [];
      for (let round = 0; round < command.times; round++) {
        made.push(await store.write(async (write) => write.revision().toString()));
      }
      return made;
    }
    case "overwrite":
      for (let round = 0; round < command.times; round++) {
        await store.write(async (write) =>
          write.put(command.key, Buffer.alloc(command.bytes, String(round))),
        );
      }
      return undefined;
    case "reopen":
      for (let round = 0; round < command.times; round++) {
        await (await opening).close();
        opening = open();
        await (await opening).read((read) => read.get("any"));
      }
      return undefined;
    case "churn":
      return churn(store, command);
    case "hold":
      await new Promise<void>((resolve) => {
        void store.read(async (read) => {
          await read.get("any");
          resolve();
          await new Promise(() => {});
        });
      });
      return undefined;
    case "forgetDeadReaders":
      return store.forgetDeadReaders();
    case "releaseOwner":
      return store.ephemeral.releaseOwner(command.owner);
    case "close":
      return store.close();
  }
}

process.on("message", (message: Call) => {
  if (isWriteLockMessage(message)) {
    writeLocks.records.receive(message);
    writeLocks.ephemeral.receive(message);
    return;
  }
  run(message.command).then(
    (answer) => void say({ id: message.id, answer }),
    (error: Error) => void say({ id: message.id, error: error.message }),
  );
});
process.on("disconnect", () => process.exit(0));

function open(): Promise<EmbeddedStore> {
  const onFatal = (): never => process.abort();
  const openNow = (): EmbeddedStore => new EmbeddedStore({ directory, owner, writeLocks, onFatal });
  return withWriteLocks([writeLocks.records, writeLocks.ephemeral], openNow);
}

let opening = open();
