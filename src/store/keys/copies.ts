import type { Key, Range } from "../kv.ts";
import { KeyReader, packKey, prefixRange } from "./pack.ts";

/** Copies that are not done yet, so that somebody looks after them when their process is gone: ("cp", service, id). */
export function pendingCopyKey(service: "blob" | "file", copyId: string): Key {
  return packKey(["cp", service, copyId]);
}

export function pendingCopies(service: "blob" | "file"): Range {
  return prefixRange(packKey(["cp", service]));
}

export function copyIdOfKey(key: Key): string {
  return new KeyReader(key).skipText().skipText().text();
}
