import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { OWNER_FILE_MODE } from "./file-modes.ts";

/** Makes new, renamed and removed names in a directory durable. */
export function syncDirectory(path: string): void {
  // Windows cannot open a directory for a sync; NTFS journals names by itself.
  if (process.platform === "win32") return;
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Atomically and durably: a power cut leaves the complete file or the former state. */
export function writeDurably(path: string, bytes: string | Uint8Array, draft = `${path}.new`): void {
  writeFileSync(draft, bytes, { mode: OWNER_FILE_MODE, flush: true });
  renameSync(draft, path);
  syncDirectory(dirname(path));
}
