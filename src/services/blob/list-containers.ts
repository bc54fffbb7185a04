import type { Revision } from "../../base/revision.ts";
import {
  containerKey,
  containerOfKey,
  containersOf,
  deletedContainerKey,
  deletedContainersOf,
  deletionOfKey,
} from "../../store/keys/blob.ts";
import { keyAfter } from "../../store/keys/pack.ts";
import type { Range, Reader } from "../../store/kv.ts";
import { type ContainerRecord, containerRecord } from "../../store/records/blob.ts";
import type { NewPage, Page, PageAndNext } from "../page.ts";
import type { BlobContext } from "./context.ts";
import { mapped, mergeOrdered } from "./merge-ordered.ts";
import { SYSTEM_CONTAINERS } from "./names.ts";

export interface ListContainers<P extends Page<ListedContainer>> {
  readonly account: string;
  readonly prefix: string;
  readonly newPage: NewPage<ListedContainer, P>;
  readonly includesDeleted: boolean;
  readonly includesSystem: boolean;
  /** The listing continues after this one. */
  readonly after: ContainerPosition | undefined;
}

export interface ContainerPosition {
  readonly container: string;
  /** Of a soft-deleted one. */
  readonly deletion?: Revision;
}

export interface ListedContainer extends ContainerPosition {
  readonly record: ContainerRecord;
}

/** List Containers, by name; soft-deleted containers come after an existing one of the same name. */
export async function listContainers<P extends Page<ListedContainer>>(
  blobs: BlobContext,
  request: ListContainers<P>,
): Promise<PageAndNext<P, ContainerPosition>> {
  return blobs.store.read(async (read) => {
    const now = read.now();
    const page = request.newPage(now);
    let last: ContainerPosition | undefined;
    for await (const entry of entriesOf(read, request)) {
      const { record, ...position } = entry;
      if (!request.includesSystem && SYSTEM_CONTAINERS.has(entry.container)) continue;
      if (record.deleted !== undefined && record.deleted.until <= now) continue;
      if (page.isFull) return { page, next: last };
      page.add(entry);
      last = position;
    }
    return { page, next: undefined };
  });
}

type Bounds = Pick<ListContainers<Page<ListedContainer>>, "account" | "prefix" | "after" | "includesDeleted">;

function entriesOf(read: Reader, request: Bounds): AsyncIterable<ListedContainer> {
  const { account, prefix, after } = request;
  const existingFrom = after && keyAfter(containerKey(account, after.container));
  const existing = mapped(
    read.range(startAt(containersOf(account, prefix), existingFrom)),
    ({ key, value }) => ({
      container: containerOfKey(key),
      record: containerRecord.unpack(value),
    }),
  );
  if (!request.includesDeleted) return existing;
  const deletedFrom = after && keyAfter(deletedContainerKey(account, after.container, after.deletion ?? 0n));
  const deleted = mapped(
    read.range(startAt(deletedContainersOf(account, prefix), deletedFrom)),
    ({ key, value }): ListedContainer => ({ ...deletionOfKey(key), record: containerRecord.unpack(value) }),
  );
  return mergeOrdered<ListedContainer>(existing, deleted, (a, b) => a.container < b.container);
}

function startAt(range: Range, from: string | undefined): Range {
  return from === undefined || from <= range.from ? range : { ...range, from };
}
