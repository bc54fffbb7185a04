import type { DamagedData } from "../../base/faults.ts";
import type { PayloadService } from "../payload/payload-service.ts";
import { walkExtent } from "../payload/walk-extent.ts";

/** Reads all live slices of an extent and returns the damage found, which would otherwise stay unnoticed. */
export async function scrubExtent(payload: PayloadService, extent: bigint): Promise<DamagedData[]> {
  const { slices, unpin } = await payload.store.read(async (read) => {
    const found = [];
    for await (const { slice } of walkExtent(read, extent)) found.push(slice);
    return { slices: found, unpin: payload.pins.pin([extent]) };
  });
  try {
    return slices.length === 0 ? [] : await payload.files.verify(extent, slices);
  } finally {
    unpin();
  }
}
