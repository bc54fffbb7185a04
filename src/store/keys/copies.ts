import type { Key, Range } from "../kv.ts";
import { KeyReader, packKey, prefixRange } from "./pack.ts";

/** Pending copies, so that another process completes them when theirs dies: ("cp", service, id). */
export const pendingCopyKey = (service: "blob" | "file", copyId: string): Key =>
  packKey(["cp", service, copyId]);
export const pendingCopies = (service: "blob" | "file"): Range => prefixRange(packKey(["cp", service]));
export const copyIdOfKey = (key: Key): string => new KeyReader(key).skipText().skipText().text();
