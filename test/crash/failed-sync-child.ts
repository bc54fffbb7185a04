import { writeSync } from "node:fs";
import { EmbeddedStore } from "../../src/store/embedded/embedded-store.ts";

/** Writes until the disk fails, then waits a while: nothing may be acknowledged after that. */
const tell = (line: string): number => writeSync(1, `${line}\n`);

const store = new EmbeddedStore({
  directory: process.argv[2]!,
  owner: "sync",
  onFatal: (error) => {
    // LMDB says it with the system's number, the journal with its name.
    const { code } = error as { code?: unknown };
    tell(`fatal ${code === 5 ? "EIO" : code}`);
    setTimeout(() => process.exit(3), 500);
  },
});

async function writeForEver(writer: number): Promise<void> {
  for (let number = 0; ; number++) {
    try {
      await store.write(async (write) => write.put(`${writer}.${number}`, Buffer.from("x")));
      tell(`ack ${writer}.${number}`);
    } catch (error) {
      tell(`fault ${String(error)}`);
    }
  }
}

for (let writer = 0; writer < 8; writer++) void writeForEver(writer);
