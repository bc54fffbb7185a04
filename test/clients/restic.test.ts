import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isInUse, RESTIC_PORT, resticBackup } from "./restic.ts";
import { missing } from "./run.ts";

const reason =
  missing("restic") ??
  ((await isInUse(RESTIC_PORT))
    ? `port ${RESTIC_PORT}, the only one restic knows for this account, is in use`
    : undefined);

test("restic backs up, checks and restores", { skip: reason ?? false }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-restic-"));
  try {
    t.diagnostic(await resticBackup(directory, 1));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
