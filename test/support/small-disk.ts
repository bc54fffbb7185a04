import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../contract/store/engines.ts";

/** A file system of its own, small enough to be filled. */
export interface SmallDisk {
  readonly path: string;
  remove(): void;
}

function tried(command: string, ...args: string[]): string | undefined {
  const done = spawnSync(command, args, { encoding: "utf8" });
  if (done.status === 0) return undefined;
  return `${command}: ${done.error?.message ?? done.stderr.trim()}`;
}

/** Mounts one, or says why it cannot: that takes root, and a kernel that lets us. */
export function smallDisk(kind: "tmpfs" | "ext4", bytes: number): SmallDisk | string {
  if (process.getuid?.() !== 0) return "only root can mount a small disk";
  const root = temporaryDirectory();
  const path = join(root, "disk");
  mkdirSync(path);
  let trouble: string | undefined;
  if (kind === "tmpfs") trouble = tried("mount", "-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", path);
  else {
    const image = join(root, "image");
    trouble =
      tried("truncate", "-s", String(bytes), image) ??
      tried("mkfs.ext4", "-q", image) ??
      tried("mount", "-o", "loop", image, path);
  }
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  if (trouble !== undefined) {
    remove();
    return trouble;
  }
  return {
    path,
    remove() {
      const stuck = tried("umount", path);
      if (stuck !== undefined) throw new Error(stuck);
      remove();
    },
  };
}
