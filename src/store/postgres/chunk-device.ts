import { type Millis, monotonic, pause } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { failureOf, faultOf } from "./failures.ts";
import { lateFault, type Pool } from "./pool.ts";
import type { RoundTrip } from "./session.ts";
import { bytesArray, int8, int8Array, type Row, type Statement } from "./wire.ts";

/**
 * Payload in rows of the database, as a `Device` (src/extents/device.ts). A file is the rows (extent, start,
 * data): each write makes its own rows, and writes never overlap, because appends claim space first. A write
 * is durable when it resolves, so that a sync has nothing to do. The extents have their own checksums.
 */
const FILE_NAME = /^([0-9a-f]{16})\.extent$/;

interface QueuedWrite {
  readonly extent: bigint;
  readonly start: number;
  readonly parts: readonly Uint8Array[];
  readonly bytes: number;
  readonly queuedAt: Millis;
  resolve(): void;
  reject(error: unknown): void;
}

export class ChunkDevice {
  readonly place: string;
  readonly #pool: Pool;
  readonly #writesMax: number;
  #queue: QueuedWrite[] = [];
  #writing = 0;
  #answeredAt: Millis = 0;

  constructor({ pool, place, connections }: { pool: Pool; place: string; connections: number }) {
    this.#pool = pool;
    this.place = place;
    // Reads use the other connections.
    this.#writesMax = Math.max(1, Math.floor(connections / 2));
  }

  async create(name: string): Promise<ChunkFile> {
    return new ChunkFile(this, extentOf(name));
  }

  async open(name: string): Promise<ChunkFile> {
    const file = new ChunkFile(this, extentOf(name));
    if ((await file.size()) === 0) throw missing(name);
    return file;
  }

  async list(): Promise<{ name: string; bytes: number }[]> {
    const rows = await this.rows({ name: "list_extents", values: [] });
    return rows.map((row) => ({
      name: `${row[0]!.readBigInt64BE().toString(16).padStart(16, "0")}.extent`,
      bytes: Number(row[1]!.readBigInt64BE()),
    }));
  }

  /** In bounded steps: a large extent must not block the database. */
  async remove(name: string): Promise<void> {
    const values = [int8(extentOf(name)), int8(LIMITS.chunksRemovedAtOnce)];
    for (let steps = 0; ; steps++) {
      const { results } = await this.#run([{ name: "remove_chunks", values }]);
      if (results[0]!.tag !== "DELETE 0") continue;
      if (steps === 0) throw missing(name);
      return;
    }
  }

  async syncDirectory(): Promise<void> {}

  /** Writes that wait while others are in flight share a statement and a commit. */
  write(extent: bigint, start: number, parts: readonly Uint8Array[]): Promise<void> {
    const bytes = bytesIn(parts);
    return new Promise((resolve, reject) => {
      this.#queue.push({ extent, start, parts, bytes, queuedAt: monotonic(), resolve, reject });
      if (this.#writing < this.#writesMax) void this.#writeSome();
    });
  }

  async #writeSome(): Promise<void> {
    this.#writing++;
    while (this.#queue.length > 0) {
      let bytes = 0;
      let count = 0;
      while (count < this.#queue.length && (count === 0 || bytes < LIMITS.chunkWriteBytes)) {
        bytes += this.#queue[count++]!.bytes;
      }
      const batch = this.#queue.splice(0, count);
      try {
        // A write waits as long as a slow database keeps answering, but not for a silent one.
        await this.#run([writeStatement(batch)], Math.max(batch[0]!.queuedAt, this.#answeredAt));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(withCode(error));
      }
    }
    this.#writing--;
  }

  async rows(statement: Statement): Promise<readonly Row[]> {
    try {
      const { results } = await this.#run([statement]);
      return results[0]!.rows;
    } catch (error) {
      throw faultOf(error);
    }
  }

  /** Retries on another connection: every statement here is idempotent. */
  async #run(statements: readonly Statement[], began = monotonic()): Promise<RoundTrip> {
    const deadline = began + LIMITS.databasePatienceMillis;
    if (monotonic() > deadline) throw lateFault(undefined);
    for (;;) {
      const session = await this.#pool.acquireBy(deadline);
      try {
        const trip = await session.run(statements);
        this.#answeredAt = monotonic();
        if (!trip.isWarned) return trip;
      } catch (error) {
        const failure = failureOf(error);
        if (failure === "gone") session.destroy(error as Error);
        if (monotonic() > deadline || failure === "full" || failure === "other") throw error;
      } finally {
        this.#pool.release(session);
      }
      await pause(LIMITS.databaseRetryMillis);
    }
  }
}

class ChunkFile {
  readonly #device: ChunkDevice;
  readonly #extent: bigint;

  constructor(device: ChunkDevice, extent: bigint) {
    this.#device = device;
    this.#extent = extent;
  }

  write(parts: readonly Uint8Array[], offset: number): Promise<void> {
    return this.#device.write(this.#extent, offset, parts);
  }

  async read(parts: readonly Uint8Array[], offset: number): Promise<number> {
    const values = [int8(this.#extent), int8(offset), int8(offset + bytesIn(parts))];
    let at = offset;
    for (const row of await this.#device.rows({ name: "read_chunks", values })) {
      // A gap: claimed space that was never written. No slice points into it.
      if (Number(row[0]!.readBigInt64BE()) !== at) break;
      fill(parts, at - offset, row[1]!);
      at += row[1]!.length;
    }
    return at - offset;
  }

  async sync(): Promise<void> {}

  async size(): Promise<number> {
    const rows = await this.#device.rows({ name: "extent_size", values: [int8(this.#extent)] });
    return rows.length === 0 ? 0 : Number(rows[0]![0]!.readBigInt64BE());
  }

  async close(): Promise<void> {}
}

/** Copies bytes to offset `from` of a list of buffers. */
function fill(parts: readonly Uint8Array[], from: number, bytes: Buffer): void {
  let start = 0;
  for (const part of parts) {
    const low = Math.max(from, start);
    const high = Math.min(from + bytes.length, start + part.length);
    if (low < high) part.set(bytes.subarray(low - from, high - from), low - start);
    start += part.length;
  }
}

function writeStatement(batch: readonly QueuedWrite[]): Statement {
  const [extents, starts, data]: [bigint[], number[], Uint8Array[][]] = [[], [], []];
  for (const { extent, start, parts } of batch) {
    for (const { at, row } of cutRows(parts)) {
      extents.push(extent);
      starts.push(start + at);
      data.push(row);
    }
  }
  return { name: "write_chunks", values: [int8Array(extents), int8Array(starts), bytesArray(data)] };
}

/** Parts as rows of at most `LIMITS.chunkRowBytes`, without copying them. */
function* cutRows(parts: readonly Uint8Array[]): Generator<{ at: number; row: Uint8Array[] }> {
  let at = 0;
  let row: Uint8Array[] = [];
  let bytes = 0;
  for (const part of parts) {
    for (let from = 0; from < part.length; ) {
      const chunk = part.subarray(from, from + LIMITS.chunkRowBytes - bytes);
      row.push(chunk);
      bytes += chunk.length;
      from += chunk.length;
      if (bytes < LIMITS.chunkRowBytes) continue;
      yield { at, row };
      at += bytes;
      row = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield { at, row };
}

function bytesIn(parts: readonly Uint8Array[]): number {
  return parts.reduce((bytes, part) => bytes + part.length, 0);
}

function extentOf(name: string): bigint {
  const parts = FILE_NAME.exec(name);
  if (parts === null) throw missing(name);
  return BigInt(`0x${parts[1]}`);
}

/** Errors carry the codes of a file system, which the extents interpret. */
function missing(name: string): Error {
  return Object.assign(new Error(`there is no ${name} in the database`), { code: "ENOENT" });
}

function withCode(error: unknown): unknown {
  if (failureOf(error) !== "full") return faultOf(error);
  return Object.assign(new Error("the database is full", { cause: error }), { code: "ENOSPC" });
}
