import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { systemTimers } from "../../../base/clock.ts";
import { Refusal } from "../../../base/refusals.ts";
import type { FromParquetReader, ToParquetReader } from "./parquet-child.ts";
import { ORDINAL, type RowSource, tableRow, type WholeRow } from "./rows.ts";
import { type Effort, FormError, PARQUET_LIMITS, SqlError, type SqlQuery, type Value } from "./sql.ts";

/** The blob that a query reads, as a stream or in places. */
export interface QueryFile {
  readonly length: number;
  stream(): AsyncIterable<Buffer>;
  read(from: number, length: number): Promise<Buffer>;
}

/** Beside this file, or beside the program that contains it. Sources run the built one. */
const CHILD = fileURLToPath(
  new URL(
    import.meta.url.endsWith(".ts") ? "../../../../dist/cli/parquet-child.js" : "./parquet-child.js",
    import.meta.url,
  ),
);

/** How many files are read at the same time: each costs a process. */
export class ParquetReaders {
  #active = 0;

  /** The caller releases it. */
  acquire(): { release(): void } {
    if (this.#active >= PARQUET_LIMITS.readersMax) throw new Refusal("ServerBusy");
    this.#active++;
    let isAcquired = true;
    return {
      release: () => {
        if (isAcquired) this.#active--;
        isAcquired = false;
      },
    };
  }
}

/** The records of a Parquet file. Only the columns are read that the query names. */
export class ParquetRows implements RowSource {
  /** An error concerns the file, so it has no place in it. */
  readonly position = 0;
  #scanned = 0;
  readonly #file: QueryFile;
  readonly #query: SqlQuery;
  readonly #effort: Effort;

  constructor(file: QueryFile, query: SqlQuery, effort: Effort) {
    if (query.from.some((step) => step !== "[*]")) throw new SqlError("a Parquet file has no paths");
    this.#file = file;
    this.#query = query;
    this.#effort = effort;
  }

  get scanned(): number {
    return this.#scanned;
  }

  async *batches(): AsyncGenerator<Iterable<WholeRow>> {
    const child = startReader();
    try {
      const { length } = this.#file;
      let message: ToParquetReader = { kind: "open", length, columns: columnsOf(this.#query) };
      for (;;) {
        const reply = await replyTo(child, message);
        if (reply.kind === "end") return;
        if (reply.kind === "failed") throw new FormError(`the Parquet file cannot be read: ${reply.message}`);
        if (reply.kind === "read") {
          const bytes = await this.#file.read(reply.from, reply.length);
          this.#scanned += bytes.length;
          message = { kind: "bytes", bytes };
        } else {
          yield this.#rows(reply.names, reply.rows);
          message = { kind: "next" };
        }
      }
    } finally {
      child.kill("SIGKILL");
    }
  }

  *#rows(names: readonly string[], rows: readonly (readonly Value[])[]): Generator<WholeRow> {
    const { alias } = this.#query;
    for (const values of rows)
      yield tableRow({ names, values, bytes: 0, start: 0, alias, effort: this.#effort });
  }
}

function startReader(): ChildProcess {
  const { PATH, SystemRoot } = process.env;
  return fork(CHILD, [], {
    execArgv: [`--max-old-space-size=${PARQUET_LIMITS.heapMegabytesMax}`],
    // It needs neither the keys of accounts nor a place in the cluster.
    env: { PATH, SystemRoot },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}

function replyTo(child: ChildProcess, message: ToParquetReader): Promise<FromParquetReader> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      timer.cancel();
      for (const event of ["message", "exit", "error"]) child.removeAllListeners(event);
    };
    const fail = (): void => {
      settle();
      reject(new FormError("the Parquet file cannot be read within its limits"));
    };
    const timer = systemTimers.after(PARQUET_LIMITS.replyMillisMax, fail);
    child.once("exit", fail).once("error", fail);
    child.once("message", (reply) => {
      settle();
      resolve(reply as FromParquetReader);
    });
    // A process that has ended cannot receive: its exit is the answer.
    child.send(message, () => {});
  });
}

/** The first names of all paths in the query, in small letters; undefined for every column. */
function columnsOf({ columns, where, alias }: SqlQuery): readonly string[] | undefined {
  if (columns === undefined) return undefined;
  const names = new Set<string>();
  const collect = (part: unknown): void => {
    if (part === null || typeof part !== "object") return;
    const path = "path" in part && Array.isArray(part.path) ? part.path : [];
    for (const step of path[0] === alias ? path.slice(0, 2) : path.slice(0, 1))
      names.add(String(step).toLowerCase());
    for (const inner of Object.values(part)) collect(inner);
  };
  collect(columns);
  collect(where);
  // A column named by its place may be any.
  return [...names].some((name) => ORDINAL.test(name)) ? undefined : [...names];
}
