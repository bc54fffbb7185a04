import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode, UnusableDirectory } from "../../base/faults.ts";
import { LIMITS } from "../../base/limits.ts";
import type { PayloadSource } from "../../services/payload/payloads.ts";
import type { StoreChoice } from "../options.ts";
import { damaged, Fields } from "./fields.ts";
import { type LokiRecord, readLokiFile } from "./loki-file.ts";

/**
 * The directory of an Azurite: a LokiJS file for the records of each service, and files that hold bodies of
 * blobs and messages one after another.
 */
const AZURITE_FILES = {
  blob: "__azurite_db_blob__.json",
  blobExtent: "__azurite_db_blob_extent__.json",
  queue: "__azurite_db_queue__.json",
  queueExtent: "__azurite_db_queue_extent__.json",
  table: "__azurite_db_table__.json",
} as const;

export type AzuriteFile = keyof typeof AZURITE_FILES;

const RECORD_FILES = ["blob", "queue", "table"] as const;
const BODIES = { blob: "__blobstorage__", queue: "__queuestorage__" } as const;

function holdsAzuriteData(directory: string): boolean {
  return RECORD_FILES.some((file) => existsSync(join(directory, AZURITE_FILES[file])));
}

/**
 * At the first start in a directory that Azurite used, or in `.holdfast` inside of one: what the operator can
 * do.
 */
export function azuriteOffer(store: StoreChoice): string | undefined {
  if (store.kind !== "embedded" || existsSync(join(store.directory, "holdfast.json"))) return undefined;
  const { directory } = store;
  const from = [directory, dirname(directory)].find(holdsAzuriteData);
  if (from === undefined || (from !== directory && basename(directory) !== ".holdfast")) return undefined;
  return (
    `${from} holds data of Azurite, which this server does not use; to bring it over, stop the server and run ` +
    `holdfast migrate --from azurite:${from} --to ${directory}`
  );
}

/** Consecutive bytes of a file of bodies. */
export interface Chunk {
  readonly id: string;
  readonly offset: number;
  readonly count: number;
}

/** Azurite's id for bytes that were never written. */
const ZEROS = "*ZERO*";
/** A name in the folder of bodies, and no path out of it. */
const PLAIN_NAME = /^\w[\w.-]*$/;

export function chunkOf(record: Fields): Chunk {
  return { id: record.text("id"), offset: record.whole("offset"), count: record.whole("count") };
}

export class AzuriteData {
  readonly directory: string;
  /** The file of bodies with this id, where its name differs from the id. */
  readonly #paths = new Map<string, string>();

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async open(directory: string): Promise<AzuriteData> {
    if (!holdsAzuriteData(directory))
      throw new UnusableDirectory(
        `${directory} holds no data of Azurite: expected ${AZURITE_FILES.blob} or its siblings`,
      );
    const data = new AzuriteData(directory);
    for (const file of ["blobExtent", "queueExtent"] as const) {
      for await (const record of data.records(file, () => true)) {
        const extent = fieldsOf(record, "an extent");
        const [id, path] = [extent.text("id"), extent.optionalText("path")];
        if (path !== undefined && path !== id) data.#paths.set(id, path);
      }
    }
    return data;
  }

  /** Changes when Azurite changes anything. */
  fingerprint(): string {
    const hash = createHash("sha256");
    for (const name of Object.values(AZURITE_FILES)) {
      const stats = statSync(join(this.directory, name), { throwIfNoEntry: false });
      hash.update(`${name} ${stats?.size} ${stats?.mtimeMs}\n`);
    }
    return hash.digest("hex");
  }

  bytesOf(file: AzuriteFile): number {
    return statSync(join(this.directory, AZURITE_FILES[file]), { throwIfNoEntry: false })?.size ?? 0;
  }

  async *records(file: AzuriteFile, isWanted: (collection: string) => boolean): AsyncGenerator<LokiRecord> {
    const path = join(this.directory, AZURITE_FILES[file]);
    // A program for one service writes only its own files.
    if (existsSync(path)) yield* readLokiFile(path, isWanted);
  }

  /** The bytes of a chunk. `owner` says in words to whom they belong. */
  async read(service: "blob" | "queue", chunk: Chunk, owner: string): Promise<PayloadSource> {
    if (chunk.count > LIMITS.azuriteReadBytes) return this.#stream(service, chunk, owner);
    return this.readAll(service, chunk, owner);
  }

  async readAll(service: "blob" | "queue", chunk: Chunk, owner: string): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const part of this.#stream(service, chunk, owner)) chunks.push(part);
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  }

  async *#stream(
    service: "blob" | "queue",
    { id, offset, count }: Chunk,
    owner: string,
  ): AsyncGenerator<Buffer> {
    const file = id === ZEROS || count === 0 ? undefined : await this.#open(service, id, owner);
    try {
      for (let at = 0; at < count; ) {
        const part = Buffer.alloc(Math.min(LIMITS.azuriteReadBytes, count - at));
        if (file !== undefined) await fill(file, part, offset + at, owner);
        yield part;
        at += part.length;
      }
    } finally {
      await file?.close();
    }
  }

  async #open(service: "blob" | "queue", id: string, owner: string): Promise<FileHandle> {
    const name = this.#paths.get(id) ?? id;
    if (!PLAIN_NAME.test(name)) throw damaged(owner, `expected the name of a file, found ${name}`);
    const path = join(this.directory, BODIES[service], name);
    try {
      return await open(path, "r");
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      throw damaged(owner, `${path}, which has its bytes, is missing`);
    }
  }
}

async function fill(file: FileHandle, part: Buffer, offset: number, owner: string): Promise<void> {
  for (let done = 0; done < part.length; ) {
    const { bytesRead } = await file.read(part, done, part.length - done, offset + done);
    if (bytesRead === 0) throw damaged(owner, `its bytes are cut off at ${offset + done}`);
    done += bytesRead;
  }
}

export function fieldsOf({ bytes }: LokiRecord, name: string): Fields {
  try {
    return new Fields(name, JSON.parse(bytes.toString("utf8")));
  } catch (error) {
    if (error instanceof SyntaxError) throw damaged(name, error.message);
    throw error;
  }
}
