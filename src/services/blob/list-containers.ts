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
import type { NewPage, Page } from "../page.ts";
import type { BlobService } from "./blob-service.ts";
import { mapped, mergeOrdered } from "./merge.ts";
import { SYSTEM_CONTAINERS } from "./names.ts";

export interface ListContainers<P extends Page<ListedContainer>> {
  readonly account: string;
  readonly prefix: string;
  readonly newPage: NewPage<ListedContainer, P>;
  readonly includesDeleted: boolean;
  readonly includesSystem: boolean;
  /** Go on after this one. */
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

export interface ContainerPage<P> {
  readonly page: P;
  readonly next: ContainerPosition | undefined;
}

/** By name; deleted ones of a name after the one that lives. One read of the range that is shown. */
export async function listContainers<P extends Page<ListedContainer>>(
  blobs: BlobService,
  request: ListContainers<P>,
): Promise<ContainerPage<P>> {
  return blobs.parts.store.read(async (read) => {
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
  const present = after && keyAfter(containerKey(account, after.container));
  const living = mapped(read.range(startAt(containersOf(account, prefix), present)), ({ key, value }) => ({
    container: containerOfKey(key),
    record: containerRecord.unpack(value),
  }));
  if (!request.includesDeleted) return living;
  const past = after && keyAfter(deletedContainerKey(account, after.container, after.deletion ?? 0n));
  const deleted = mapped(
    read.range(startAt(deletedContainersOf(account, prefix), past)),
    ({ key, value }): ListedContainer => ({ ...deletionOfKey(key), record: containerRecord.unpack(value) }),
  );
  return mergeOrdered<ListedContainer>(living, deleted, (one, other) => one.container < other.container);
}

function startAt(range: Range, from: string | undefined): Range {
  return from === undefined || from <= range.from ? range : { ...range, from };
}
