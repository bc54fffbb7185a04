import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { temporaryDirectory } from "../contract/store/engines.ts";
import { isUndamaged, printDamage, runJournalDamage } from "./journal-damage.ts";

test("a damaged journal is refused or reported, and loses nothing without a word", async (t) => {
  const directory = temporaryDirectory();
  const figures = await runJournalDamage(directory, 7);
  t.diagnostic(printDamage(figures));
  assert.ok(isUndamaged(figures), printDamage(figures));
  assert.ok(figures.refused > 20 && figures.reported > 0);
  rmSync(directory, { recursive: true });
});
