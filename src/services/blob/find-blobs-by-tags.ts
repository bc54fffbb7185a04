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
import type { NewPage, Page, PageAndNext } from "../page.ts";
import { exists } from "./blobs.ts";
import { findContainer, readContainer } from "./containers.ts";
import type { BlobContext } from "./context.ts";
import { BLOB_LIMITS } from "./limits.ts";

export interface FindBlobs<P extends Page<FoundBlob>> {
  readonly account: string;
  /** Searches only this container, which must exist. */
  readonly container: string | undefined;
  readonly query: TagQuery;
  readonly newPage: NewPage<FoundBlob, P>;
  /** Also finds versions that are not current, after all current ones. */
  readonly withVersions: boolean;
  readonly from: TagPlace | undefined;
}

export interface FoundBlob {
  readonly container: string;
  readonly blob: string;
  /** The tags that the query names. */
  readonly tags: Tags;
  readonly version: Revision | undefined;
  readonly isCurrent: boolean;
}

const STEP = 256;

/**
 * Find Blobs by Tags: a scan over the index entries of one tag, as narrow as the query allows. The other
 * comparisons use the blob's record. Blobs without that tag are not read.
 */
export async function findBlobsByTags<P extends Page<FoundBlob>>(
  blobs: BlobContext,
  request: FindBlobs<P>,
): Promise<PageAndNext<P, TagPlace>> {
  const { account, query } = request;
  return blobs.store.read(async (read) => {
    const page = request.newPage(read.now());
    if (request.container !== undefined) {
      await readContainer(read, { account, container: request.container });
    }
    const names = [request.container, query.container].filter((name) => name !== undefined);
    if (new Set(names).size > 1) return { page, next: undefined };
    const only =
      names[0] === undefined ? undefined : await findContainer(read, { account, container: names[0] });
    if (names.length > 0 && only === undefined) return { page, next: undefined };
    const search = new TagSearch(read, request);
    for await (const entries of search.entries(only?.id)) {
      for (const [i, item] of (await search.match(entries)).entries()) {
        if (item === undefined) continue;
        if (page.isFull) return { page, next: placeOfTagKey(entries[i]!.key) };
        page.add(item);
      }
      const last = entries.at(-1)!;
      if (search.scanned >= BLOB_LIMITS.listScanMax) return { page, next: placeAfter(last.key) };
    }
    return { page, next: undefined };
  });
}

/** The next possible entry: no name lies between a name and the same name with a zero appended. */
function placeAfter(key: Key): TagPlace {
  const place = placeOfTagKey(key);
  if (place.version !== undefined) return { ...place, version: place.version + 1n };
  return { ...place, blob: `${place.blob}\0` };
}

type TagSearchRequest = Pick<FindBlobs<Page<FoundBlob>>, "account" | "query" | "withVersions" | "from">;

class TagSearch {
  readonly #read: Reader;
  readonly #request: TagSearchRequest;
  readonly #tag: string;
  /** The current ids of containers by name: entries of a deleted container of the same name do not count. */
  readonly #containers = new Map<string, bigint | undefined>();
  scanned = 0;

  constructor(read: Reader, request: TagSearchRequest) {
    this.#read = read;
    this.#request = request;
    this.#tag = drivingTag(request.query);
  }

  /** Index entries in batches: those of current states, then those of versions. */
  async *entries(container: bigint | undefined): AsyncGenerator<Entry[]> {
    const { from, withVersions } = this.#request;
    if (from?.version === undefined) yield* this.#entriesOf("bi", container);
    if (withVersions) yield* this.#entriesOf("bj", container);
  }

  async *#entriesOf(family: TagFamily, container: bigint | undefined): AsyncGenerator<Entry[]> {
    let range = this.#bounds(family);
    while (range.from < range.to) {
      const subrange = container === undefined ? range : await this.#inContainer(family, range, container);
      if (subrange === undefined) return;
      const entries = await this.#read.take(subrange, STEP);
      this.scanned += Math.max(entries.length, 1);
      if (entries.length > 0) yield entries;
      if (entries.length === STEP) range = { ...range, from: keyAfter(entries.at(-1)!.key) };
      else if (container === undefined) return;
      else range = { ...range, from: this.#endOfValue(family, subrange) };
    }
  }

  /** The range of entries that the comparisons with the driving tag allow. */
  #bounds(family: TagFamily): Range {
    const { account, query, from } = this.#request;
    let { from: low, to: high } = tagsOf(family, account, this.#tag);
    for (const { tag, operator, value } of query.comparisons) {
      if (tag !== this.#tag) continue;
      const equal = tagValues(family, { account, tag, value });
      if (operator === "=" || operator === ">=") low = later(low, equal.from);
      if (operator === ">") low = later(low, equal.to);
      if (operator === "=" || operator === "<=") high = earlier(high, equal.to);
      if (operator === "<") high = earlier(high, equal.from);
    }
    const isContinued = from !== undefined && (from.version === undefined) === (family === "bi");
    if (isContinued) low = later(low, tagKey(account, this.#tag, from));
    return { from: low, to: high };
  }

  /** The entries of one container under the next value that has any entries. */
  async #inContainer(family: TagFamily, range: Range, container: bigint): Promise<Range | undefined> {
    const { account } = this.#request;
    const [next] = await this.#read.take(range, 1);
    if (next === undefined) return undefined;
    const { value } = placeOfTagKey(next.key);
    const { from, to } = tagValues(family, { account, tag: this.#tag, value, container });
    return { from: later(from, range.from), to: earlier(to, range.to) };
  }

  /** The key after the entries of all containers under the value of this range. */
  #endOfValue(family: TagFamily, { to }: Range): Key {
    const { account } = this.#request;
    const base = tagsOf(family, account, this.#tag).from.length;
    return prefixEnd(to.slice(0, to.indexOf("\0", base) + 1));
  }

  /** The blob of each entry, undefined where it does not match. */
  async match(entries: readonly Entry[]): Promise<(FoundBlob | undefined)[]> {
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
      const isFound =
        exists(record, this.#read.now()) &&
        (await this.#idOf(container)) === id &&
        matchesTagQuery(this.#request.query, record.tags ?? {});
      if (!isFound) found.push(undefined);
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

const later = (a: Key, b: Key): Key => (a > b ? a : b);
const earlier = (a: Key, b: Key): Key => (a < b ? a : b);
