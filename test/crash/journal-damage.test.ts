import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { temporaryDirectory } from "../contract/store/engines.ts";
import { isUndamaged, printDamage, runJournalDamage } from "./journal-damage.ts";

test("a damaged journal is refused or reported, and loses nothing without a word", async (t) => {
  const directory = temporaryDirectory();
  const stats = await runJournalDamage(directory, 7);
  t.diagnostic(printDamage(stats));
  assert.ok(isUndamaged(stats), printDamage(stats));
  assert.ok(stats.refused > 20 && stats.reported > 0);
  rmSync(directory, { recursive: true });
});
