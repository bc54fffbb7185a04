import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import {
  afterPrefix,
  blobOfKey,
  blobsOf,
  fromBlob,
  versionsOfBlob,
  versionsOfKey,
} from "../../store/keys/blob.ts";
import { keyAfter } from "../../store/keys/pack.ts";
import type { Entry, Key, Range, Reader } from "../../store/kv.ts";
import type { BlobRecord } from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import type { NewPage, Page } from "../page.ts";
import type { BlobService } from "./blob-service.ts";
import { isThere, settled } from "./blobs.ts";
import { readContainer } from "./containers.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { mergeOrdered } from "./merge.ts";
import type { ContainerRef } from "./names.ts";

/**
 * List Blobs, flat and by hierarchy: one walk over the names that are shown, in the order of their bytes. With
 * the past included, two walks in step: a blob's snapshots and versions, oldest first, then the blob itself.
 *
 * A page ends at a position, not at a count, so pages fit together whatever is written between them. A walk that
 * meets too much it must not show (blobs of uncommitted blocks, deleted states) gives a short page and a marker.
 */
export interface ListBlobs<P extends Page<ListedBlob>> {
  readonly ref: ContainerRef;
  readonly prefix: string;
  readonly delimiter: string | undefined;
  /** As many as the page may have: what is fetched at once. */
  readonly maxResults: number;
  readonly newPage: NewPage<ListedBlob, P>;
  readonly include: ListInclude;
  /** Where the page begins. */
  readonly from: BlobPosition | undefined;
  /** Names from this one on, and names before that one. */
  readonly startFrom?: string | undefined;
  readonly endBefore?: string | undefined;
}

export interface ListInclude {
  readonly snapshots: boolean;
  readonly versions: boolean;
  readonly deleted: boolean;
  readonly uncommitted: boolean;
  readonly deletedWithVersions: boolean;
}

/** A blob, one state of its past, or a folder. */
export type BlobPosition = { readonly blob: string; readonly past?: Revision } | { readonly folder: string };

export type ListedBlob =
  | { readonly folder: string }
  | {
      readonly blob: string;
      /** The id of the snapshot or version. */
      readonly past?: Revision;
      readonly record: BlobRecord;
      /** Nothing of it is left but versions. */
      readonly hasVersionsOnly?: boolean;
    };

export interface BlobPage<P> {
  readonly page: P;
  readonly next: BlobPosition | undefined;
}

export async function listBlobs<P extends Page<ListedBlob>>(
  blobs: BlobService,
  request: ListBlobs<P>,
): Promise<BlobPage<P>> {
  return blobs.parts.store.read(async (read) => {
    const container = await readContainer(read, request.ref);
    return new Listing(read, container.id, request).run();
  });
}

interface Seen {
  readonly blob: string;
  readonly past?: Revision;
  readonly value: Buffer;
}

type Shown = Extract<ListedBlob, { readonly blob: string }>;

/** Where a walk begins: at a position of the client's, or behind a folder that has been shown. */
type Start = BlobPosition | { readonly behind: string } | undefined;

class Listing<P extends Page<ListedBlob>> {
  readonly #read: Reader;
  readonly #container: bigint;
  readonly #request: ListBlobs<P>;
  readonly #now: Instant;
  readonly #page: P;
  #isEmpty = true;
  #scanned = 0;

  constructor(read: Reader, container: bigint, request: ListBlobs<P>) {
    this.#read = read;
    this.#container = container;
    this.#request = request;
    this.#now = read.now();
    this.#page = request.newPage(this.#now);
  }

  async run(): Promise<BlobPage<P>> {
    const { from, startFrom } = this.#request;
    let start: Start = from ?? (startFrom === undefined ? undefined : { folder: startFrom });
    do start = await this.#walk(start);
    while (start !== undefined && "behind" in start);
    return { page: this.#page, next: start };
  }

  /** Shows what it meets until the page is full (where the next one begins) or a folder is to be stepped over. */
  async #walk(start: Start): Promise<Start> {
    for await (const { seen, shown } of this.#visible(start)) {
      if (shown === undefined) {
        if (++this.#scanned > BLOB_LIMITS.listScanMax && !this.#isEmpty) return positionOf(seen);
        continue;
      }
      const folder = this.#folderOf(seen.blob);
      if (this.#page.isFull) return folder === undefined ? positionOf(seen) : { folder };
      this.#page.add(folder === undefined ? shown : { folder });
      this.#isEmpty = false;
      if (folder !== undefined) return { behind: folder };
    }
    return undefined;
  }

  #folderOf(blob: string): string | undefined {
    const { prefix, delimiter } = this.#request;
    if (delimiter === undefined) return undefined;
    const end = blob.indexOf(delimiter, prefix.length);
    return end < 0 ? undefined : blob.slice(0, end + delimiter.length);
  }

  /** Everything on the way, with how it is shown, if at all. */
  async *#visible(start: Start): AsyncGenerator<{ readonly seen: Seen; readonly shown: Shown | undefined }> {
    // Of a name with versions and no blob, the newest version stands for all: known when the name is over.
    let orphan: { readonly seen: Seen; readonly shown: Shown } | undefined;
    for await (const seen of this.#entries(start)) {
      const record = settled(blobRecord.unpack(seen.value), this.#now);
      if (orphan !== undefined && orphan.seen.blob !== seen.blob) yield orphan;
      orphan = undefined;
      if (this.#request.include.deletedWithVersions && record.stateKind === "version") {
        orphan = { seen, shown: { blob: seen.blob, record, hasVersionsOnly: true } };
      }
      yield { seen, shown: this.#shown(seen, record) };
    }
    if (orphan !== undefined) yield orphan;
  }

  #shown({ blob, past }: Seen, record: BlobRecord): Shown | undefined {
    const { include } = this.#request;
    if (past === undefined) {
      const isShown = record.isUncommitted === true ? include.uncommitted : isThere(record, this.#now);
      return isShown ? { blob, record } : undefined;
    }
    const isShown = record.deleted === undefined || (include.deleted && record.deleted.until > this.#now);
    if (!isShown) return undefined;
    switch (record.stateKind) {
      case "snapshot":
        return include.snapshots ? { blob, past, record } : undefined;
      case "version":
        return include.versions ? { blob, past, record } : undefined;
      default:
        // The deleted blob itself: it is named without the id it is kept under.
        return include.deleted ? { blob, record } : undefined;
    }
  }

  #entries(start: Start): AsyncIterable<Seen> {
    const present = this.#scan("bb", start, ({ key, value }) => ({ blob: blobOfKey(key), value }));
    const { snapshots, versions, deleted, deletedWithVersions } = this.#request.include;
    if (!snapshots && !versions && !deleted && !deletedWithVersions) return present;
    const past = this.#scan("bp", start, ({ key, value }) => {
      const { blob, revision } = versionsOfKey(key);
      return { blob, past: revision, value };
    });
    return mergeOrdered<Seen>(past, present, (one, other) => isNameBefore(one.blob, other.blob));
  }

  #keyOf(family: "bb" | "bp", start: Start): Key {
    const container = this.#container;
    if (start === undefined) return "";
    if ("behind" in start) return afterPrefix(family, container, start.behind);
    if ("folder" in start) return blobsOf(family, container, start.folder).from;
    if (family === "bb") return fromBlob("bb", container, start.blob);
    if (start.past === undefined) return versionsOfBlob(container, start.blob).to;
    return fromBlob("bp", container, start.blob, start.past);
  }

  /** With folders to step over, a few entries at a time: most walks end at the first. */
  async *#scan(family: "bb" | "bp", start: Start, map: (entry: Entry) => Seen): AsyncGenerator<Seen> {
    const { delimiter, maxResults, prefix, endBefore } = this.#request;
    let range: Range = blobsOf(family, this.#container, prefix);
    if (endBefore !== undefined) {
      const to = blobsOf(family, this.#container, endBefore).from;
      if (to < range.to) range = { ...range, to };
    }
    const from = this.#keyOf(family, start);
    if (from > range.from) range = { ...range, from };
    let size = delimiter === undefined ? maxResults + 1 : FIRST_STEP;
    while (range.from < range.to) {
      let last: Key | undefined;
      let count = 0;
      for await (const entry of this.#read.range({ ...range, limit: size })) {
        yield map(entry);
        last = entry.key;
        count++;
      }
      if (last === undefined || count < size) return;
      range = { ...range, from: keyAfter(last) };
      size = Math.min(size * 4, STEP_MAX);
    }
  }
}

const FIRST_STEP = 4;
const STEP_MAX = 5_001;

function positionOf({ blob, past }: Seen): BlobPosition {
  return past === undefined ? { blob } : { blob, past };
}

/** In the order of the keys: by bytes of UTF-8, which is by code point. */
function isNameBefore(one: string, other: string): boolean {
  if (one === other) return false;
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) {
    const [a, b] = [one.charCodeAt(i), other.charCodeAt(i)];
    if (a === b) continue;
    // Surrogates stand for code points above every other unit.
    const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
    if (isSurrogate(a) !== isSurrogate(b)) return isSurrogate(b);
    return a < b;
  }
  return one.length < other.length;
}
