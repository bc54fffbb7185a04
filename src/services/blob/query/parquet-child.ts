import { setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { type ParquetBatch, readParquet } from "./parquet-reader.ts";
import { PARQUET_LIMITS } from "./sql.ts";

/**
 * The process that reads one Parquet file, because the package is not made for hostile files: some make it
 * compute without end or use memory without bound. It has no access to the store: it asks for bytes of the
 * blob. The server sends the next message only after the reply.
 */
export type ToParquetReader =
  | { readonly kind: "open"; readonly length: number; readonly columns: readonly string[] | undefined }
  | { readonly kind: "next" }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array };

export type FromParquetReader =
  | { readonly kind: "read"; readonly from: number; readonly length: number }
  | ({ readonly kind: "batch" } & ParquetBatch)
  | { readonly kind: "end" }
  | { readonly kind: "failed"; readonly message: string };

/** Watches the memory outside of the heap, and the server, from a thread that no long computation stops. */
const WATCHER = `
const { workerData: { residentBytesMax, residentCheckMillis, parent } } = require("node:worker_threads");
setInterval(() => {
  if (process.memoryUsage.rss() > residentBytesMax || process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, residentCheckMillis);
`;

const waiting: ((message: ToParquetReader) => void)[] = [];

function ask(message: FromParquetReader): Promise<ToParquetReader> {
  process.send!(message);
  return received();
}

function received(): Promise<ToParquetReader> {
  return new Promise((resolve) => waiting.push(resolve));
}

async function run(): Promise<void> {
  const opened = await received();
  if (opened.kind !== "open") throw new Error("the first message opens a file");
  const { length, columns } = opened;
  const file = {
    length,
    read: async (from: number, bytes: number): Promise<Uint8Array> => {
      const reply = await ask({ kind: "read", from, length: bytes });
      if (reply.kind !== "bytes" || reply.bytes.length !== bytes) throw new Error("the blob ends too early");
      return reply.bytes;
    },
  };
  const isNeeded = (name: string): boolean => columns === undefined || columns.includes(name.toLowerCase());
  try {
    for await (const batch of readParquet(file, isNeeded)) await ask({ kind: "batch", ...batch });
    process.send!({ kind: "end" } satisfies FromParquetReader);
  } catch (error) {
    process.send!({ kind: "failed", message: (error as Error).message } satisfies FromParquetReader);
  }
}

process.on("message", (message: ToParquetReader) => waiting.shift()?.(message));
process.on("disconnect", () => process.exit());
setPriority(10);
const { residentBytesMax, residentCheckMillis } = PARQUET_LIMITS;
const workerData = { residentBytesMax, residentCheckMillis, parent: process.ppid };
new Worker(WATCHER, { eval: true, workerData, resourceLimits: { maxOldGenerationSizeMb: 16 } });
void run();
