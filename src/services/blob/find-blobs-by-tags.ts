import type { Revision } from "../../base/revision.ts";
import type { Tags } from "../../concurrency/tag-predicate.ts";
import { drivingTag, matchesTagQuery, type TagQuery } from "../../concurrency/tag-query.ts";
import {
  blobKey,
  placeOfTagKey,
  type TagFamily,
  type TagPlace,
  tagKey,
  tagsOf,
  tagValues,
  versionKey,
} from "../../store/keys/blob.ts";
import { keyAfter, prefixEnd } from "../../store/keys/pack.ts";
import type { Entry, Key, Range, Reader } from "../../store/kv.ts";
import { tagRecord } from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import type { NewPage, Page } from "../page.ts";
import type { BlobService } from "./blob-service.ts";
import { isThere } from "./blobs.ts";
import { findContainer, readContainer } from "./containers.ts";
import { BLOB_LIMITS } from "./limits.ts";

export interface FindBlobs<P extends Page<FoundBlob>> {
  readonly account: string;
  /** Only in this container, which must exist. */
  readonly container: string | undefined;
  readonly query: TagQuery;
  readonly newPage: NewPage<FoundBlob, P>;
  /** Also the versions that are not the present state, after all that are. */
  readonly withVersions: boolean;
  readonly from: TagPlace | undefined;
}

export interface FoundBlob {
  readonly container: string;
  readonly blob: string;
  /** Those the query names. */
  readonly tags: Tags;
  readonly version: Revision | undefined;
  readonly isCurrent: boolean;
}

export interface FoundBlobs<P> {
  readonly page: P;
  readonly next: TagPlace | undefined;
}

const STEP = 256;

/**
 * Find Blobs by Tags: a walk over the entries of one tag, as narrow as the query allows; the other comparisons
 * are made with the blob itself. No blob without the tag is looked at.
 */
export async function findBlobsByTags<P extends Page<FoundBlob>>(
  blobs: BlobService,
  request: FindBlobs<P>,
): Promise<FoundBlobs<P>> {
  const { account, query } = request;
  return blobs.parts.store.read(async (read) => {
    const page = request.newPage(read.now());
    if (request.container !== undefined) {
      await readContainer(read, { account, container: request.container });
    }
    const names = [request.container, query.container].filter((name) => name !== undefined);
    if (new Set(names).size > 1) return { page, next: undefined };
    const only =
      names[0] === undefined ? undefined : await findContainer(read, { account, container: names[0] });
    if (names.length > 0 && only === undefined) return { page, next: undefined };
    const found = new Finding(read, request);
    for await (const entries of found.entries(only?.id)) {
      for (const [i, item] of (await found.look(entries)).entries()) {
        if (item === undefined) continue;
        if (page.isFull) return { page, next: placeOfTagKey(entries[i]!.key) };
        page.add(item);
      }
      const last = entries.at(-1)!;
      if (found.scanned >= BLOB_LIMITS.listScanMax) return { page, next: found.after(last.key) };
    }
    return { page, next: undefined };
  });
}

type Wanted = Pick<FindBlobs<Page<FoundBlob>>, "account" | "query" | "withVersions" | "from">;

class Finding {
  readonly #read: Reader;
  readonly #request: Wanted;
  readonly #tag: string;
  /** The ids that containers have now, by name: an entry of an earlier container of the name is not shown. */
  readonly #containers = new Map<string, bigint | undefined>();
  scanned = 0;

  constructor(read: Reader, request: Wanted) {
    this.#read = read;
    this.#request = request;
    this.#tag = drivingTag(request.query);
  }

  /** The next entry there could be: names cannot follow each other more closely than by a zero. */
  after(key: Key): TagPlace {
    const place = placeOfTagKey(key);
    if (place.version !== undefined) return { ...place, version: place.version + 1n };
    return { ...place, blob: `${place.blob}\0` };
  }

  /** Entries on the way, some at a time: those of present states, and then those of versions. */
  async *entries(container: bigint | undefined): AsyncGenerator<Entry[]> {
    const { from, withVersions } = this.#request;
    if (from?.version === undefined) yield* this.#entriesOf("bi", container);
    if (withVersions) yield* this.#entriesOf("bj", container);
  }

  async *#entriesOf(family: TagFamily, container: bigint | undefined): AsyncGenerator<Entry[]> {
    let range = this.#bounds(family);
    while (range.from < range.to) {
      const stretch = container === undefined ? range : await this.#inContainer(family, range, container);
      if (stretch === undefined) return;
      const entries: Entry[] = [];
      for await (const entry of this.#read.range({ ...stretch, limit: STEP })) entries.push(entry);
      this.scanned += Math.max(entries.length, 1);
      if (entries.length > 0) yield entries;
      const isStretchOver = entries.length < STEP;
      if (!isStretchOver) range = { ...range, from: keyAfter(entries.at(-1)!.key) };
      else if (container === undefined) return;
      else range = { ...range, from: this.#endOfValue(family, stretch) };
    }
  }

  /** What the comparisons with the driving tag leave of its entries. */
  #bounds(family: TagFamily): Range {
    const { account, query, from } = this.#request;
    let { from: low, to: high } = tagsOf(family, account, this.#tag);
    for (const { tag, operator, value } of query.comparisons) {
      if (tag !== this.#tag) continue;
      const one = tagValues(family, { account, tag, value });
      if (operator === "=" || operator === ">=") low = low > one.from ? low : one.from;
      if (operator === ">") low = low > one.to ? low : one.to;
      if (operator === "=" || operator === "<=") high = high < one.to ? high : one.to;
      if (operator === "<") high = high < one.from ? high : one.from;
    }
    const isBegun = from !== undefined && (from.version === undefined) === (family === "bi");
    const start = isBegun ? tagKey(account, this.#tag, from) : low;
    return { from: low > start ? low : start, to: high };
  }

  /** The entries of one container under the next value that has entries at all. */
  async #inContainer(family: TagFamily, range: Range, container: bigint): Promise<Range | undefined> {
    const { account } = this.#request;
    for await (const { key } of this.#read.range({ ...range, limit: 1 })) {
      const { value } = placeOfTagKey(key);
      const { from, to } = tagValues(family, { account, tag: this.#tag, value, container });
      return { from: from > range.from ? from : range.from, to: to < range.to ? to : range.to };
    }
    return undefined;
  }

  /** Behind the entries of all containers under the value of this stretch. */
  #endOfValue(family: TagFamily, { to }: Range): Key {
    const { account } = this.#request;
    const base = tagsOf(family, account, this.#tag).from.length;
    return prefixEnd(to.slice(0, to.indexOf("\0", base) + 1));
  }

  /** The blobs of these entries, where they match. */
  async look(entries: readonly Entry[]): Promise<(FoundBlob | undefined)[]> {
    const places = entries.map(({ key }) => placeOfTagKey(key));
    const records = await this.#read.getMany(
      places.map(({ container, blob, version }) =>
        version === undefined ? blobKey(container, blob) : versionKey(container, blob, version),
      ),
    );
    const found: (FoundBlob | undefined)[] = [];
    for (const [i, { container: id, blob, version }] of places.entries()) {
      const bytes = records[i];
      const record = bytes === undefined ? undefined : blobRecord.unpack(bytes);
      const { container } = tagRecord.unpack(entries[i]!.value);
      const isShown =
        isThere(record, this.#read.now()) &&
        (await this.#idOf(container)) === id &&
        matchesTagQuery(this.#request.query, record.tags ?? {});
      if (!isShown) found.push(undefined);
      else {
        const tags = this.#named(record.tags ?? {});
        found.push({ container, blob, tags, version: record.version, isCurrent: version === undefined });
      }
    }
    return found;
  }

  #named(tags: Tags): Tags {
    const names = new Set(this.#request.query.comparisons.map(({ tag }) => tag));
    return Object.fromEntries(Object.entries(tags).filter(([name]) => names.has(name)));
  }

  async #idOf(container: string): Promise<bigint | undefined> {
    if (!this.#containers.has(container)) {
      const { account } = this.#request;
      this.#containers.set(container, (await findContainer(this.#read, { account, container }))?.id);
    }
    return this.#containers.get(container);
  }
}
