import { monotonic } from "../../base/clock.ts";
import type { EdmValue, EntityKeys } from "../../base/edm.ts";
import { Refusal } from "../../base/refusals.ts";
import { keyAfter } from "../../store/keys/pack.ts";
import { entityKey, keysOfEntityKey, lowestEntityKey } from "../../store/keys/table.ts";
import type { Entry, MaybePromise, Range, Reader } from "../../store/kv.ts";
import {
  findProperty,
  revisionOfEntity,
  type UnpackedEntity,
  unpackEntity,
} from "../../store/records/entity.ts";
import type { Page } from "../page.ts";
import type { TableContext } from "./context.ts";
import { type EntityBounds, isWithin, rangeOfBounds } from "./entity-bounds.ts";
import { checkKeys } from "./entity-rules.ts";
import { meets } from "./filter/evaluate.ts";
import type { Filter } from "./filter/filter.ts";
import { keyRangesOf } from "./filter/key-ranges.ts";
import { TABLE_LIMITS } from "./limits.ts";
import { readTable, readTableSync, type TableRef } from "./tables.ts";

export interface Entity extends EntityKeys, UnpackedEntity {}

export interface FoundEntity {
  readonly entity: Entity;
  /** The name of the table as it was created. */
  readonly table: string;
}

/** The point query: two reads of one snapshot. */
export function getEntity(
  { store }: TableContext,
  ref: TableRef,
  keys: EntityKeys,
  bounds?: EntityBounds,
): MaybePromise<FoundEntity> {
  checkKeys(keys);
  return store.view((read) => {
    const { id, name } = readTableSync(read, ref);
    const bytes = read.get(entityKey(id, keys));
    // Entities outside the bounds of a SAS do not exist for its holder.
    const isHidden = bounds !== undefined && !isWithin(bounds, keys);
    if (bytes === undefined || isHidden) throw new Refusal("ResourceNotFound");
    return { entity: entityOf(keys, bytes), table: name };
  });
}

function entityOf({ partitionKey, rowKey }: EntityKeys, bytes: Buffer): Entity {
  const { revision, properties, isPlain } = unpackEntity(bytes);
  return { partitionKey, rowKey, revision, properties, isPlain };
}

export interface QueryEntities<P extends Page<Entity>> {
  /** Given the table as it was created. */
  readonly newPage: (table: string) => P;
  readonly filter?: Filter | undefined;
  /**
   * At most so many entities. With a top of 0 there is no next page either: a client that follows it would
   * never end.
   */
  readonly top?: number | undefined;
  /** Where the page before ended. Without a row, at the start of the partition. */
  readonly from?: { readonly partitionKey: string; readonly rowKey: string | undefined } | undefined;
  readonly bounds?: EntityBounds | undefined;
}

export interface EntityPage<P> {
  readonly page: P;
  /** The first entity of the next page, if there is one. */
  readonly next?: EntityKeys;
}

/**
 * One page from one snapshot. It ends after `top` entities or at the limits of a scan, which keep other
 * requests responsive. The continuation is a position in key order, so pages never overlap, whatever is
 * written between them.
 */
export function queryEntities<P extends Page<Entity>>(
  { store }: TableContext,
  ref: TableRef,
  query: QueryEntities<P>,
): Promise<EntityPage<P>> {
  return store.read(async (read) => {
    const { id, name } = await readTable(read, ref);
    const page = query.newPage(name);
    if (query.top === 0) return { page };
    const builder = new PageBuilder(query, page);
    for (const range of rangesOf(id, query)) {
      const next = await scan(read, range, builder);
      if (next !== undefined) return { page, next: keysOfEntityKey(next) };
    }
    return { page };
  });
}

type Bounds = Pick<QueryEntities<Page<Entity>>, "filter" | "from" | "bounds" | "top">;

function rangesOf(table: bigint, { filter, from, bounds }: Bounds): Range[] {
  const start =
    from === undefined ? "" : lowestEntityKey(table, bound(from.partitionKey), bound(from.rowKey));
  const reach = bounds === undefined ? undefined : rangeOfBounds(table, bounds);
  const ranges: Range[] = [];
  for (const range of keyRangesOf(table, filter)) {
    let low = range.from > start ? range.from : start;
    if (reach !== undefined && reach.from > low) low = reach.from;
    const high = reach !== undefined && reach.to < range.to ? reach.to : range.to;
    if (low < high) ranges.push({ from: low, to: high });
  }
  return ranges;
}

function bound(text: string | undefined) {
  return text === undefined ? undefined : { text, isInclusive: true };
}

/** Scans a range. Returns the key it stopped before, or undefined at the end. */
async function scan(read: Reader, { from, to }: Range, page: PageBuilder): Promise<string | undefined> {
  let start = from;
  for (;;) {
    const limit = page.chunkEntities();
    const entries = await read.take({ from: start, to }, limit);
    for (const entry of entries) {
      if (page.isFull()) return entry.key;
      page.add(entry);
    }
    if (entries.length < limit) return undefined;
    start = keyAfter(entries[limit - 1]!.key);
  }
}

class PageBuilder {
  readonly #page: Page<Entity>;
  readonly #filter: FilterOnBytes | undefined;
  readonly #top: number;
  readonly #until = monotonic() + TABLE_LIMITS.scanMillisMax;
  #scanned = 0;
  #scannedBytes = 0;
  #found = 0;

  constructor({ filter, top = TABLE_LIMITS.pageEntitiesMax }: Bounds, page: Page<Entity>) {
    this.#page = page;
    this.#filter = filter === undefined ? undefined : new FilterOnBytes(filter);
    this.#top = top;
  }

  add({ key, value }: Entry): void {
    this.#scanned++;
    this.#scannedBytes += value.length;
    if (this.#filter !== undefined && !this.#filter.isMetBy(key, value)) return;
    this.#page.add(entityOf(keysOfEntityKey(key), value));
    this.#found++;
  }

  isFull(): boolean {
    if (this.#found >= this.#top || this.#page.isFull) return true;
    if (this.#scanned >= TABLE_LIMITS.scannedEntitiesMax) return true;
    if (this.#scannedBytes >= TABLE_LIMITS.scannedBytesMax) return true;
    // Reading the clock has a cost, so it is read once per 64 entities.
    return this.#scanned % 64 === 63 && monotonic() > this.#until;
  }

  /**
   * How many entities to fetch at once: about as many as the page needs, and fewer when they are large. One
   * more than the page needs shows whether there is a next page.
   */
  chunkEntities(): number {
    const { scanChunkEntities, scanChunkBytes } = TABLE_LIMITS;
    const first = 16;
    const fitting =
      this.#scanned === 0
        ? first
        : Math.max(1, Math.floor((scanChunkBytes * this.#scanned) / (this.#scannedBytes + 1)));
    const wanted = this.#filter === undefined ? this.#top - this.#found + 1 : scanChunkEntities;
    return Math.max(1, Math.min(wanted, fitting, scanChunkEntities));
  }
}

/** Evaluates a filter on packed entities, decoding only the properties it names. */
class FilterOnBytes {
  readonly #filter: Filter;
  readonly #names = new Map<string, Buffer>();
  readonly #lookup: (property: string) => EdmValue | undefined;
  #key = "";
  #value: Buffer = Buffer.alloc(0);
  #keys: EntityKeys | undefined;

  constructor(filter: Filter) {
    this.#filter = filter;
    this.#lookup = (property) => this.#find(property);
  }

  isMetBy(key: string, value: Buffer): boolean {
    this.#key = key;
    this.#value = value;
    this.#keys = undefined;
    return meets(this.#filter, this.#lookup);
  }

  #find(property: string): EdmValue | undefined {
    switch (property) {
      case "PartitionKey":
      case "RowKey": {
        this.#keys ??= keysOfEntityKey(this.#key);
        const { partitionKey, rowKey } = this.#keys;
        return { type: "String", value: property === "RowKey" ? rowKey : partitionKey };
      }
      case "Timestamp":
        return { type: "DateTime", value: revisionOfEntity(this.#value) };
      default: {
        let name = this.#names.get(property);
        if (name === undefined) {
          name = Buffer.from(property, "utf8");
          this.#names.set(property, name);
        }
        return findProperty(this.#value, name);
      }
    }
  }
}
