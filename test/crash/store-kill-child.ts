import { writeSync } from "node:fs";
import { ManualClock } from "../../src/base/clock.ts";
import { EmbeddedStore } from "../../src/store/embedded/embedded-store.ts";
import { groupOf, groupPrefix, type RunId, stepOf, WRITERS, writerKey } from "./store-plan.ts";

/**
 * Writes until it is killed. Each acknowledgement goes to the pipe in one synchronous call, right after it
 * was heard: the pipe belongs to the kernel, so what was told outlives us, and what was not told was not
 * acknowledged.
 */
const [directory, seed, now] = process.argv.slice(2) as [string, string, string];
const tell = (line: string): number => writeSync(1, `${line}\n`);

tell("start");
const store = new EmbeddedStore({
  directory,
  owner: "crash",
  clock: new ManualClock(Number(now)),
  onFatal: (error) => {
    tell(`fatal ${String(error)}`);
    process.exit(3);
  },
});
tell("open");

async function writeForEver(run: RunId): Promise<void> {
  const stored = await store.read((read) => read.get(writerKey(run.writer)));
  for (let number = Number(stored?.toString().split(" ")[0] ?? 0) + 1; ; number++) {
    const { group, isDelete } = stepOf(run, number);
    const revision = await store.write(async (write) => {
      const prefix = groupPrefix(run.writer, group);
      for await (const { key } of write.range({ from: prefix, to: `${prefix}\xff` })) write.delete(key);
      if (!isDelete) for (const { key, value } of groupOf(run, number)) write.put(key, value);
      const made = write.revision();
      write.put(writerKey(run.writer), Buffer.from(`${number} ${made}`));
      return made;
    });
    tell(`ack ${run.writer} ${number} ${revision}`);
  }
}

for (let writer = 0; writer < WRITERS; writer++) void writeForEver({ seed: Number(seed), writer });
