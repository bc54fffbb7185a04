import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { hasAzurite } from "../support/azurite.ts";
import { migrateAzurite } from "../support/migrate-azurite.ts";

test("what the SDKs wrote to Azurite, they read from Holdfast after a migration", async (story) => {
  if (!hasAzurite()) return story.skip("npm cannot install azurite here");
  const directory = mkdtempSync(join(tmpdir(), "holdfast-azurite-"));
  try {
    const migrated = await migrateAzurite({ directory, objects: 128, seed: 7, progress: () => {} });
    assert.equal(migrated.code, 0, migrated.output);
    assert.deepEqual(migrated.differences, []);
    assert.ok(migrated.objects > 3 * 128);
    assert.match(migrated.output, /imported and verified: \d+ records/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
