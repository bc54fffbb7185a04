import { LIMITS } from "../../base/limits.ts";
import type { Appended } from "../../extents/appended-slices.ts";
import type { PayloadService } from "../payload/payload-service.ts";
import type { Move } from "../payload/references.ts";
import { type Resident, walkExtent } from "../payload/walk-extent.ts";

/**
 * Moves live slices of a sealed extent into the open one, up to about `bytesMax`. Returns the bytes moved.
 *
 * As with any write, bytes come before records: the copies are durable before a transaction points homes to
 * them, and it skips slices that were dropped meanwhile. Readers of the old place have its extent pinned. A
 * crash in between leaves copies without references.
 */
export async function compactExtent(
  payload: PayloadService,
  extent: bigint,
  bytesMax: number,
): Promise<number> {
  const residents = await payload.store.read((read) => firstResidents(read, extent, bytesMax));
  let moved = 0;
  for (const batch of inBatches(residents)) {
    await moveBatch(payload, batch);
    for (const { slice } of batch) moved += slice.length;
  }
  return moved;
}

async function firstResidents(
  read: Parameters<typeof walkExtent>[0],
  extent: bigint,
  bytesMax: number,
): Promise<Resident[]> {
  const residents: Resident[] = [];
  let bytes = 0;
  for await (const resident of walkExtent(read, extent)) {
    residents.push(resident);
    bytes += resident.slice.length;
    if (bytes >= bytesMax) break;
  }
  return residents;
}

function* inBatches(residents: readonly Resident[]): Generator<Resident[]> {
  let batch: Resident[] = [];
  let bytes = 0;
  for (const resident of residents) {
    batch.push(resident);
    bytes += resident.slice.length;
    if (batch.length < LIMITS.compactionBatchSlices && bytes < LIMITS.compactionBatchBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

async function moveBatch(payload: PayloadService, batch: readonly Resident[]): Promise<void> {
  // In parallel, so that they share one sync.
  const copies = await Promise.allSettled(
    batch.map(({ slice }) => payload.extents.appendWhole(payload.files.read(slice), slice.length)),
  );
  const appended = copies.flatMap((copy) => (copy.status === "fulfilled" ? [copy.value] : []));
  try {
    const failed = copies.find((copy) => copy.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    const moves = batch.map((resident, i) => moveTo(resident, appended[i]!));
    await payload.store.write((write) => payload.references.moved(write, moves));
  } finally {
    for (const copy of appended) copy.release();
  }
}

function moveTo({ home, slice }: Resident, { slices }: Appended): Move {
  const { extent, offset } = slices[0]!;
  return { home, from: slice, to: { extent, offset }, length: slice.length };
}
