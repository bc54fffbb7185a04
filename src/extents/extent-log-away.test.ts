import assert from "node:assert/strict";
import { test } from "node:test";
import { CrashDevice } from "../../test/support/crash-device.ts";
import { appendAndRelease, openLog, readAll, sample } from "../../test/support/extents.ts";
import { StorageFault } from "../base/faults.ts";

test("an append waits only once for an unreachable database, and not again to clean up", async () => {
  const device = new CrashDevice();
  const { log, files } = openLog(device);
  const asked: string[] = [];
  device.before = (kind) => {
    asked.push(kind);
    if (kind === "create") throw new StorageFault("the database cannot be reached", { isTransient: true });
  };
  await assert.rejects(log.append(sample(10)), (error) => error instanceof StorageFault && error.isTransient);
  assert.ok(!asked.includes("remove"));
  device.before = () => {};
  const { slices } = await appendAndRelease(log, sample(10));
  assert.deepEqual(await readAll(files, slices), sample(10));
});
