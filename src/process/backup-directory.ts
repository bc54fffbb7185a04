import {
  appendFileSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { collect } from "../base/bytes.ts";
import { syncDirectory, writeDurably } from "../base/durable-files.ts";
import { DamagedData, errorCode, UnusableDirectory } from "../base/faults.ts";
import { OWNER_FILE_MODE } from "../base/file-modes.ts";
import { LIMITS } from "../base/limits.ts";
import { makeDirectory } from "../base/make-directory.ts";
import { crc32 } from "../digest/crc32.ts";
import type { BackupSink } from "../services/backup/create-backup.ts";
import {
  CountedContent,
  FILE_NAME,
  MANIFEST,
  type Manifest,
  PLAN,
  parseManifest,
  type StoredExtent,
  type StoredFile,
} from "../services/backup/format.ts";
import type { TarFile } from "../services/backup/tar.ts";

/**
 * A backup directory. Until the manifest is there the backup is incomplete, and `copied.jsonl` lists the
 * extents that were copied: the same command copies only the others. Extents of an earlier backup on the same
 * file system become hard links, so that each backup is complete by itself and any of them can be removed.
 */
const COPIED = "copied.jsonl";
const FOLDERS = ["records", "extents"] as const;
const OWNER_DIRECTORY_MODE = 0o700;

export class BackupDirectory implements BackupSink {
  readonly #path: string;
  readonly #earlier: string | undefined;
  /** Extents that an interrupted run has copied. */
  readonly #copied: ReadonlySet<string>;
  /** Extents that this directory or the earlier backup has. */
  readonly have: readonly StoredExtent[];
  #plan = new Map<string, StoredExtent>();
  readonly #written = new Set<string>();

  constructor(path: string, earlier: string | undefined) {
    this.#path = path;
    this.#earlier = earlier;
    makeDirectory(path);
    const foreign = readdirSync(path).find((name) => ![...FOLDERS, COPIED].includes(name as "records"));
    if (foreign !== undefined)
      throw new UnusableDirectory(`${path} is not empty (it holds ${foreign}): choose a new directory`);
    for (const folder of FOLDERS)
      mkdirSync(join(path, folder), { recursive: true, mode: OWNER_DIRECTORY_MODE });
    const copied = readCopied(join(path, COPIED)).filter(({ name }) => existsSync(join(path, name)));
    this.#copied = new Set(copied.map(({ name }) => name));
    const before = earlier === undefined ? [] : readManifest(earlier).extents;
    this.have = [...before.filter(({ name }) => !this.#copied.has(name)), ...copied];
    // Records belong to the snapshot of one run.
    for (const name of readdirSync(join(path, "records"))) rmSync(join(path, "records", name));
  }

  async file({ name, bytes, content }: TarFile): Promise<void> {
    if (name === MANIFEST) return this.#finish(parseManifest(await textOf(content)));
    if (name === PLAN) {
      const plan = JSON.parse(await textOf(content)) as StoredExtent[];
      this.#plan = new Map(plan.map((extent) => [extent.name, extent]));
      return;
    }
    if (!FILE_NAME.test(name)) throw new DamagedData(`a backup has no file ${name}`);
    const path = join(this.#path, name);
    rmSync(path, { force: true });
    const counted = new CountedContent(content);
    const file = await open(path, "wx", OWNER_FILE_MODE);
    try {
      for await (const chunk of counted) await file.write(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    if (counted.bytes !== bytes) throw new DamagedData(`${name} has ${counted.bytes} bytes of ${bytes}`);
    this.#written.add(name);
    const planned = this.#plan.get(name);
    if (planned === undefined || !planned.isSealed) return;
    const copied: StoredExtent = { ...planned, crc: counted.crc };
    appendFileSync(join(this.#path, COPIED), `${JSON.stringify(copied)}\n`, { mode: OWNER_FILE_MODE });
  }

  /** Reads what this run and an interrupted one have written, and writes the manifest when all is right. */
  async #finish(manifest: Manifest): Promise<void> {
    const named = [...manifest.records, ...manifest.extents];
    for (const file of named) {
      if (this.#written.has(file.name) || this.#copied.has(file.name)) await checkFile(this.#path, file);
      else linkOrCopy(join(this.#earlier!, file.name), join(this.#path, file.name));
    }
    const isNamed = new Set(named.map(({ name }) => name));
    for (const folder of FOLDERS) {
      for (const name of readdirSync(join(this.#path, folder)))
        if (!isNamed.has(`${folder}/${name}`)) rmSync(join(this.#path, folder, name));
      syncDirectory(join(this.#path, folder));
    }
    writeDurably(join(this.#path, MANIFEST), `${JSON.stringify(manifest)}\n`);
    rmSync(join(this.#path, COPIED), { force: true });
  }
}

const textOf = async (content: AsyncIterable<Buffer>): Promise<string> => (await collect(content)).toString();

export function readManifest(directory: string): Manifest {
  try {
    return parseManifest(readFileSync(join(directory, MANIFEST), "utf8"));
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw new UnusableDirectory(`${directory} holds no complete backup: it has no ${MANIFEST}`);
  }
}

/** The last line may be cut off. */
function readCopied(path: string): StoredExtent[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as StoredExtent);
}

/** Compares a file of a backup with its size and checksum, and passes it on in chunks. */
export async function* readFileOf(
  directory: string,
  { name, bytes, crc }: StoredFile,
): AsyncGenerator<Buffer> {
  const file = await open(join(directory, name), "r");
  try {
    let sum = 0;
    let at = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(LIMITS.extentReadBytes);
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) break;
      const found = chunk.subarray(0, bytesRead);
      sum = crc32(found, sum);
      at += bytesRead;
      yield found;
    }
    if (at !== bytes || sum !== crc)
      throw new DamagedData(`${join(directory, name)} does not match the size and checksum in ${MANIFEST}`);
  } finally {
    await file.close();
  }
}

async function checkFile(directory: string, file: StoredFile): Promise<void> {
  for await (const _ of readFileOf(directory, file));
}

function linkOrCopy(from: string, to: string): void {
  rmSync(to, { force: true });
  try {
    linkSync(from, to);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EXDEV" && code !== "EPERM" && code !== "EMLINK" && code !== "ENOTSUP") throw error;
    copyFileSync(from, to);
  }
}
