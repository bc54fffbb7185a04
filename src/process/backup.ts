import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { open, rename } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { Readable, type Writable } from "node:stream";
import { collect } from "../base/bytes.ts";
import { monotonic, pause } from "../base/clock.ts";
import { syncDirectory } from "../base/durable-files.ts";
import { DamagedData, StorageFault, UnusableDirectory } from "../base/faults.ts";
import { OWNER_FILE_MODE } from "../base/file-modes.ts";
import { systemRandom } from "../base/random.ts";
import type { Log } from "../observability/log.ts";
import { type BackupSink, createBackup } from "../services/backup/create-backup.ts";
import {
  CountedContent,
  MANIFEST,
  type Manifest,
  PLAN,
  parseManifest,
  type StoredExtent,
} from "../services/backup/format.ts";
import { readTar, type TarFile, TarWriter } from "../services/backup/tar.ts";
import { type AdminAccess, readAdminAccess } from "./admin-access.ts";
import { BackupDirectory } from "./backup-directory.ts";
import { openOffline } from "./offline-store.ts";
import type { StoreChoice } from "./options.ts";

/** Where a backup goes: a directory, a tar file, or a stream. */
export type BackupPlace =
  | { readonly kind: "directory"; readonly path: string; readonly earlier: string | undefined }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "stream"; readonly out: Writable };

export interface BackupOptions {
  readonly from: StoreChoice;
  readonly to: BackupPlace;
  /** Bytes in a second; undefined: no limit. */
  readonly rate: number | undefined;
  readonly log: Log;
  readonly progress: (step: BackupStep) => void;
}

export interface BackupStep {
  readonly phase: "records" | "payload" | "verify";
  readonly done: number;
  readonly total: number | undefined;
}

export interface BackedUp {
  readonly records: number;
  readonly extents: number;
  readonly payloadBytes: number;
  /** Of payload and records, in this run. */
  readonly copiedBytes: number;
}

/** Backs up a running server through its admin listener, and a stopped one from its store. */
export async function backup({ from, to, rate, log, progress }: BackupOptions): Promise<BackedUp> {
  const target = openTarget(to);
  const watched = new WatchedSink(target, rate, progress);
  const access = from.kind === "embedded" ? readAdminAccess(from.directory) : undefined;
  const isServed = access !== undefined && (await isAnswering(access));
  if (isServed) await receive(access, target.have, watched);
  else await createOffline(from, log, target.have, watched);
  await target.close();
  const { manifest, copiedBytes } = watched;
  if (manifest === undefined) throw new DamagedData("the server ended the backup early");
  return {
    records: manifest.recordCount,
    extents: manifest.extents.length,
    payloadBytes: manifest.extents.reduce((sum, { bytes }) => sum + bytes, 0),
    copiedBytes,
  };
}

async function createOffline(
  from: StoreChoice,
  log: Log,
  have: readonly StoredExtent[],
  sink: BackupSink,
): Promise<void> {
  const { runtime, close } = await openOffline(from, "backup", log);
  try {
    await createBackup({ payload: runtime.payload, random: systemRandom, have, sink });
  } finally {
    await close();
  }
}

/** A server that was killed leaves its address behind. */
async function isAnswering({ url }: AdminAccess): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`)).ok;
  } catch {
    return false;
  }
}

async function receive(
  { url, token }: AdminAccess,
  have: readonly StoredExtent[],
  sink: BackupSink,
): Promise<void> {
  const reply = await fetch(`${url}/backup`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ have }),
  });
  if (!reply.ok || reply.body === null)
    throw new StorageFault(`the server refuses the backup: ${reply.status} ${(await reply.text()).trim()}`);
  const stream = Readable.fromWeb(reply.body as Parameters<typeof Readable.fromWeb>[0]);
  for await (const file of readTar(stream as AsyncIterable<Buffer>)) await sink.file(file);
}

interface Target extends BackupSink {
  readonly have: readonly StoredExtent[];
  close(): Promise<void>;
}

function openTarget(to: BackupPlace): Target {
  switch (to.kind) {
    case "directory": {
      const directory = new BackupDirectory(to.path, to.earlier);
      return { have: directory.have, file: (file) => directory.file(file), close: async () => {} };
    }
    case "stream": {
      const tar = new TarWriter(to.out);
      return { have: [], file: (file) => tar.file(file), close: () => tar.end() };
    }
    case "file":
      return openFile(to.path);
  }
}

/** A draft beside the file, renamed when it was read again and is right. */
function openFile(path: string): Target {
  const draft = `${path}.incomplete`;
  const out = createWriteStream(draft, { mode: OWNER_FILE_MODE, flush: true });
  const opened = once(out, "open").catch((cause: Error) => {
    throw new UnusableDirectory(`${draft} cannot be written: ${cause.message}`, { cause });
  });
  const tar = new TarWriter(out);
  return {
    have: [],
    file: async (file) => {
      await opened;
      await tar.file(file);
    },
    close: async () => {
      await tar.end();
      out.end();
      await once(out, "close");
      await checkTar(draft);
      await rename(draft, path);
      syncDirectory(dirname(path) || basename(path));
    },
  };
}

async function checkTar(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    const sums = new Map<string, { readonly crc: number; readonly bytes: number }>();
    let manifest: Manifest | undefined;
    for await (const { name, content } of readTar(file.createReadStream({ autoClose: false }))) {
      if (name === MANIFEST) {
        manifest = parseManifest((await collect(content)).toString());
        continue;
      }
      const counted = new CountedContent(content);
      for await (const _ of counted);
      sums.set(name, { crc: counted.crc, bytes: counted.bytes });
    }
    const isWrong = [...(manifest?.records ?? []), ...(manifest?.extents ?? [])].find(
      ({ name, crc, bytes }) => sums.get(name)?.crc !== crc || sums.get(name)?.bytes !== bytes,
    );
    if (manifest === undefined || isWrong !== undefined)
      throw new DamagedData(`${path} differs from what was written: ${isWrong?.name ?? MANIFEST}`);
  } finally {
    await file.close();
  }
}

/** Reports progress, keeps the rate, and reads the manifest as it passes. */
class WatchedSink implements BackupSink {
  readonly #inner: BackupSink;
  readonly #rate: number | undefined;
  readonly #progress: (step: BackupStep) => void;
  readonly #startedAt = monotonic();
  #total: number | undefined;
  #payloadBytes = 0;
  copiedBytes = 0;
  manifest: Manifest | undefined;

  constructor(inner: BackupSink, rate: number | undefined, progress: (step: BackupStep) => void) {
    this.#inner = inner;
    this.#rate = rate;
    this.#progress = progress;
  }

  async file({ name, bytes, content }: TarFile): Promise<void> {
    if (name !== MANIFEST && name !== PLAN)
      return this.#inner.file({ name, bytes, content: this.#watch(name, content) });
    const text = await collect(content);
    if (name === PLAN) {
      const plan = JSON.parse(text.toString()) as StoredExtent[];
      this.#total = plan.reduce((sum, extent) => sum + extent.bytes, 0);
    } else {
      this.manifest = parseManifest(text.toString());
      this.#progress({ phase: "verify", done: 0, total: undefined });
    }
    await this.#inner.file({ name, bytes, content: Readable.from([text]) });
  }

  async *#watch(name: string, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const phase = name.startsWith("records/") ? "records" : "payload";
    for await (const chunk of content) {
      this.copiedBytes += chunk.length;
      if (phase === "payload") this.#payloadBytes += chunk.length;
      const done = phase === "payload" ? this.#payloadBytes : this.copiedBytes;
      this.#progress({ phase, done, total: phase === "payload" ? this.#total : undefined });
      await this.#pace();
      yield chunk;
    }
  }

  async #pace(): Promise<void> {
    if (this.#rate === undefined) return;
    const wait = (this.copiedBytes / this.#rate) * 1_000 - (monotonic() - this.#startedAt);
    if (wait > 0) await pause(wait);
  }
}
