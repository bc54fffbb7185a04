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
import type { NewPage, Page, PageAndNext } from "../page.ts";
import { compareText } from "../text-order.ts";
import { exists, rehydrated } from "./blobs.ts";
import { readContainer } from "./containers.ts";
import type { BlobContext } from "./context.ts";
import { BLOB_LIMITS } from "./limits.ts";
import { mergeOrdered } from "./merge-ordered.ts";
import type { ContainerRef } from "./names.ts";

/**
 * List Blobs, flat and by hierarchy: one scan over the names, in byte order. With snapshots or versions
 * included, two scans are merged: a blob's snapshots and versions, oldest first, then the blob itself.
 *
 * A page ends at a position, not at a count, so no name is repeated or skipped when blobs are written between
 * two pages. A scan with too many hidden entries (uncommitted blobs, deleted states) returns a short page and
 * a marker.
 */
export interface ListBlobs<P extends Page<ListedBlob>> {
  readonly ref: ContainerRef;
  readonly prefix: string;
  readonly delimiter: string | undefined;
  /** The maximum length of a page: how many entries are fetched at once. */
  readonly maxResults: number;
  readonly newPage: NewPage<ListedBlob, P>;
  readonly include: ListInclude;
  /** Where the page begins. */
  readonly from: BlobPosition | undefined;
  /** The first name, inclusive, and the last, exclusive. */
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

/** A blob, one of its snapshots or versions, or a name prefix that ends with the delimiter. */
export type BlobPosition = { readonly blob: string; readonly at?: Revision } | { readonly prefix: string };

export type ListedBlob =
  | { readonly prefix: string }
  | {
      readonly blob: string;
      /** The id of the snapshot or version. */
      readonly at?: Revision;
      readonly record: BlobRecord;
      /** The blob itself is deleted and has only versions. */
      readonly hasVersionsOnly?: boolean;
    };

export async function listBlobs<P extends Page<ListedBlob>>(
  blobs: BlobContext,
  request: ListBlobs<P>,
): Promise<PageAndNext<P, BlobPosition>> {
  return blobs.store.read(async (read) => {
    const container = await readContainer(read, request.ref);
    return new Listing(read, container.id, request).run();
  });
}

interface ScannedBlob {
  readonly blob: string;
  readonly at?: Revision;
  readonly value: Buffer;
}

type BlobItem = Extract<ListedBlob, { readonly blob: string }>;

/** Where a scan begins: at the client's position, or after a prefix that has been listed. */
type Start = BlobPosition | { readonly afterPrefix: string } | undefined;

class Listing<P extends Page<ListedBlob>> {
  readonly #read: Reader;
  readonly #container: bigint;
  readonly #request: ListBlobs<P>;
  readonly #now: Instant;
  readonly #page: P;
  #isEmpty = true;
  #hidden = 0;

  constructor(read: Reader, container: bigint, request: ListBlobs<P>) {
    this.#read = read;
    this.#container = container;
    this.#request = request;
    this.#now = read.now();
    this.#page = request.newPage(this.#now);
  }

  async run(): Promise<PageAndNext<P, BlobPosition>> {
    const { from, startFrom } = this.#request;
    let start: Start = from ?? (startFrom === undefined ? undefined : { prefix: startFrom });
    do start = await this.#addItems(start);
    while (start !== undefined && "afterPrefix" in start);
    return { page: this.#page, next: start };
  }

  /** Adds items until the page is full (returns where the next one begins) or a prefix is to be skipped. */
  async #addItems(start: Start): Promise<Start> {
    for await (const { scanned, item } of this.#items(start)) {
      if (item === undefined) {
        if (++this.#hidden > BLOB_LIMITS.listScanMax && !this.#isEmpty) return positionOf(scanned);
        continue;
      }
      const prefix = this.#prefixOf(scanned.blob);
      if (this.#page.isFull) return prefix === undefined ? positionOf(scanned) : { prefix };
      this.#page.add(prefix === undefined ? item : { prefix });
      this.#isEmpty = false;
      if (prefix !== undefined) return { afterPrefix: prefix };
    }
    return undefined;
  }

  #prefixOf(blob: string): string | undefined {
    const { prefix, delimiter } = this.#request;
    if (delimiter === undefined) return undefined;
    const end = blob.indexOf(delimiter, prefix.length);
    return end < 0 ? undefined : blob.slice(0, end + delimiter.length);
  }

  /** Every scanned entry, with its item if the listing shows it. */
  async *#items(start: Start): AsyncGenerator<{ readonly scanned: ScannedBlob; readonly item?: BlobItem }> {
    // A name with versions and without a blob is listed as its newest version, once the scan has left the
    // name.
    let orphan: { readonly scanned: ScannedBlob; readonly item: BlobItem } | undefined;
    for await (const scanned of this.#entries(start)) {
      const record = rehydrated(blobRecord.unpack(scanned.value), this.#now);
      if (orphan !== undefined && orphan.scanned.blob !== scanned.blob) yield orphan;
      orphan = undefined;
      if (this.#request.include.deletedWithVersions && record.stateKind === "version") {
        // Listed like the blob it was, without content.
        const { stateKind: _, ...shown } = record;
        orphan = {
          scanned,
          item: { blob: scanned.blob, record: { ...shown, length: 0 }, hasVersionsOnly: true },
        };
      }
      const item = this.#itemOf(scanned, record);
      yield item === undefined ? { scanned } : { scanned, item };
    }
    if (orphan !== undefined) yield orphan;
  }

  #itemOf({ blob, at }: ScannedBlob, record: BlobRecord): BlobItem | undefined {
    const { include } = this.#request;
    if (at === undefined) {
      const isListed = record.isUncommitted === true ? include.uncommitted : exists(record, this.#now);
      return isListed ? { blob, record } : undefined;
    }
    const isRetained = record.deleted === undefined || (include.deleted && record.deleted.until > this.#now);
    if (!isRetained) return undefined;
    switch (record.stateKind) {
      case "snapshot":
        return include.snapshots ? { blob, at, record } : undefined;
      case "version":
        return include.versions ? { blob, at, record } : undefined;
      default:
        // A deleted blob is listed without the id it is stored under.
        return include.deleted ? { blob, record } : undefined;
    }
  }

  #entries(start: Start): AsyncIterable<ScannedBlob> {
    const current = this.#scan("bb", start, ({ key, value }) => ({ blob: blobOfKey(key), value }));
    const { snapshots, versions, deleted, deletedWithVersions } = this.#request.include;
    if (!snapshots && !versions && !deleted && !deletedWithVersions) return current;
    const others = this.#scan("bp", start, ({ key, value }) => {
      const { blob, revision } = versionsOfKey(key);
      return { blob, at: revision, value };
    });
    return mergeOrdered<ScannedBlob>(others, current, (a, b) => compareText(a.blob, b.blob) < 0);
  }

  #keyOf(family: "bb" | "bp", start: Start): Key {
    const container = this.#container;
    if (start === undefined) return "";
    if ("afterPrefix" in start) return afterPrefix(family, container, start.afterPrefix);
    if ("prefix" in start) return blobsOf(family, container, start.prefix).from;
    if (family === "bb") return fromBlob("bb", container, start.blob);
    if (start.at === undefined) return versionsOfBlob(container, start.blob).to;
    return fromBlob("bp", container, start.blob, start.at);
  }

  /** With a delimiter, few entries at a time: most scans end at the first, which gives a prefix. */
  async *#scan(
    family: "bb" | "bp",
    start: Start,
    map: (entry: Entry) => ScannedBlob,
  ): AsyncGenerator<ScannedBlob> {
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

function positionOf({ blob, at }: ScannedBlob): BlobPosition {
  return at === undefined ? { blob } : { blob, at };
}
