import { DamagedData } from "../../base/faults.ts";
import type { Slice } from "../../extents/format.ts";
import { ALL_EXTENTS, extentKey, extentOfKey } from "../../store/keys/payload.ts";
import { extentRecord } from "../../store/records/payload.ts";
import type { PayloadService } from "../payload/payload-service.ts";
import { walkExtent } from "../payload/walk-extent.ts";
import type { Finding } from "./check-records.ts";

/** Reads all referenced payload of a store that does not change meanwhile, and compares its checksums. */
export async function checkExtents(
  payload: PayloadService,
  progress: (done: number, total: number) => void,
): Promise<{ readonly bytes: number; readonly findings: Finding[] }> {
  const extents = await payload.store.read(async (read) => {
    const found: { readonly extent: bigint; readonly liveBytes: number }[] = [];
    for await (const { key, value } of read.range(ALL_EXTENTS)) {
      const extent = extentOfKey(key);
      found.push({
        extent,
        liveBytes: (await orUndefined(() => extentRecord.unpack(value)))?.liveBytes ?? 0,
      });
    }
    return found;
  });
  const total = extents.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
  const findings: Finding[] = [];
  let done = 0;
  for (const { extent, liveBytes } of extents) {
    const slices = await orUndefined(() => slicesIn(payload, extent));
    if (slices !== undefined && slices.length > 0) {
      for (const { message } of await payload.files.verify(extent, slices))
        findings.push({ kind: "damaged-payload", what: "extent", key: extentKey(extent), message });
    }
    done += liveBytes;
    progress(done, total);
  }
  return { bytes: done, findings };
}

/** Records that cannot be read: the check of the records reports them. */
async function orUndefined<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DamagedData) return undefined;
    throw error;
  }
}

/** The referenced slices that lie in an extent: at most a few thousand. */
async function slicesIn(payload: PayloadService, extent: bigint): Promise<Slice[]> {
  return payload.store.read(async (read) => {
    const slices: Slice[] = [];
    for await (const { slice } of walkExtent(read, extent)) slices.push(slice);
    return slices;
  });
}
