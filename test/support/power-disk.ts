import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pause } from "../../src/base/clock.ts";

/**
 * A disk whose power can be cut. Two ext4 file systems on loop devices, one inside the other: the inner one
 * holds the data, the outer one holds the image of the inner one and stands for the disk with its cache. Both
 * are shut down without a flush (EXT4_IOC_SHUTDOWN), the outer one first. Whatever the inner one had not yet
 * written is gone, and so is whatever it had written without a flush: only what a sync has confirmed is sure
 * to be there afterwards.
 */
export interface PowerDisk {
  /** Where the inner file system is mounted. */
  readonly path: string;
  /** From this moment on nothing gets to the disk. Whoever uses it must be ended before `restore`. */
  cut(): void;
  /** Power is back: mounts both again, which replays their journals. */
  restore(): Promise<void>;
  remove(): Promise<void>;
}

/** _IOR('X', 125, __u32), and the flag that says: do not even flush the journal. */
const SHUTDOWN = "0x8004587d";
const NO_FLUSH = 2;
const PERL = `open(my $f, "<", $ARGV[0]) or die "$!"; my $how = pack("L", ${NO_FLUSH});
  defined(ioctl($f, ${SHUTDOWN}, $how)) or die "$!";`;

function tried(command: string, ...args: string[]): string | undefined {
  const done = spawnSync(command, args, { encoding: "utf8" });
  if (done.status === 0) return undefined;
  return `${command} ${args[0]}: ${done.error?.message ?? done.stderr.trim()}`;
}

function must(command: string, ...args: string[]): void {
  const trouble = tried(command, ...args);
  if (trouble !== undefined) throw new Error(trouble);
}

/** A process that was just killed may hold its files for a moment longer. */
async function unmount(path: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const trouble = tried("umount", path);
    if (trouble === undefined) return;
    if (tries === 200) throw new Error(trouble);
    await pause(25);
  }
}

/** Makes one in `directory`, or says why that is not possible here. */
export async function openPowerDisk(directory: string, mebibytes: number): Promise<PowerDisk | string> {
  if (process.getuid?.() !== 0) return "it needs root, to mount a disk whose power can be cut";
  const outerImage = join(directory, "outer-image");
  const outer = join(directory, "outer");
  const innerImage = join(outer, "image");
  const inner = join(directory, "disk");
  mkdirSync(outer, { recursive: true });
  mkdirSync(inner, { recursive: true });
  const mountOuter = (): string | undefined => tried("mount", "-o", "loop", outerImage, outer);
  const mountInner = (): string | undefined => tried("mount", "-o", "loop", innerImage, inner);
  // The inner image is written in full once: from then on its blocks are overwritten where they are, so that
  // the outer file system has no metadata of its own to order or to lose.
  const trouble =
    tried("truncate", "-s", `${mebibytes + 64}M`, outerImage) ??
    tried("mkfs.ext4", "-q", "-F", outerImage) ??
    mountOuter() ??
    tried(
      "dd",
      "if=/dev/zero",
      `of=${innerImage}`,
      "bs=1M",
      `count=${mebibytes}`,
      "conv=fsync",
      "status=none",
    ) ??
    tried("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", innerImage) ??
    mountInner() ??
    tried("sync");
  const disk: PowerDisk = {
    path: inner,
    cut() {
      for (const path of [outer, inner]) must("perl", "-e", PERL, path);
    },
    async restore() {
      await unmount(inner);
      await unmount(outer);
      const stuck = mountOuter() ?? mountInner();
      if (stuck !== undefined) throw new Error(stuck);
    },
    async remove() {
      await unmount(inner);
      await unmount(outer);
      rmSync(directory, { recursive: true, force: true });
    },
  };
  if (trouble === undefined) return disk;
  tried("umount", inner);
  tried("umount", outer);
  rmSync(directory, { recursive: true, force: true });
  return trouble;
}
