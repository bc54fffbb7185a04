import { join } from "node:path";
import { GIB, MIB } from "../../src/base/limits.ts";
import { DiskDevice } from "../../src/extents/disk-device.ts";
import { extentSpace, isSpaceKept, printStats } from "../soak/extent-space.ts";
import type { Proof } from "../support/proof.ts";

export const proof: Proof = {
  name: "extent-space",
  what: "disk use stays within twice the live data, however much is written and deleted",
  minutes: 1,
  async run({ length, seed, directory }) {
    const device = DiskDevice.at(join(directory, "extents"));
    const size = {
      quick: { writtenBytes: 1 * GIB, liveBytes: 200 * MIB },
      usual: { writtenBytes: 2 * GIB, liveBytes: 400 * MIB },
      long: { writtenBytes: 5 * GIB, liveBytes: 500 * MIB },
    }[length];
    const stats = await extentSpace({ device, seed, ...size });
    // With 500 MiB alive: less than 1 GiB on disk.
    return { ok: isSpaceKept(stats) && stats.diskBytesEnd < GIB, summary: printStats(stats) };
  },
};
