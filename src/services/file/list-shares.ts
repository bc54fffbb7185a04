import type { Revision } from "../../base/revision.ts";
import { deletedSharesRange, deletionOfKey, nameOfShareKey, sharesRange } from "../../store/keys/file.ts";
import type { Entry, Reader } from "../../store/kv.ts";
import { type ShareRecord, shareRecord } from "../../store/records/file.ts";
import type { NewPage, Page, PageAndNext } from "../page.ts";
import type { FileService } from "./file-service.ts";
import type { ShareState } from "./share-properties.ts";
import { readSnapshots } from "./snapshots.ts";

export interface ListShares<P extends Page<ListedShare>> {
  readonly account: string;
  readonly prefix: string;
  readonly newPage: NewPage<ListedShare, P>;
  readonly includesDeleted: boolean;
  readonly includesSnapshots: boolean;
  readonly from?: SharePosition | undefined;
}

/** Where a page begins: the name of a share, and how many entries of that name to skip. */
export interface SharePosition {
  readonly name: string;
  readonly skip: number;
}

export interface ListedShare {
  readonly name: string;
  readonly info: ShareState & Pick<ShareRecord, "deleted">;
  readonly snapshot?: bigint;
  readonly deletion?: Revision;
}

/** Lists shares by name; for each name the deleted shares, then the snapshots, then the share. */
export function listShares<P extends Page<ListedShare>>(
  files: FileService,
  request: ListShares<P>,
): Promise<PageAndNext<P, SharePosition>> {
  const { from } = request;
  return files.read(async (read) => {
    const page = request.newPage(read.now());
    for await (const { name, entries } of sharesByName(read, request)) {
      const skip = name === from?.name ? from.skip : 0;
      for (let at = skip; at < entries.length; at++) {
        if (page.isFull) return { page, next: { name, skip: at } };
        page.add(entries[at]!);
      }
    }
    return { page, next: undefined };
  });
}

interface NamedEntries {
  readonly name: string;
  readonly entries: ListedShare[];
}

async function* sharesByName(
  read: Reader,
  request: Omit<ListShares<Page<ListedShare>>, "newPage">,
): AsyncGenerator<NamedEntries> {
  const { account, prefix, from, includesDeleted, includesSnapshots } = request;
  const live = read.range(sharesRange(account, prefix, from?.name))[Symbol.asyncIterator]();
  const deleted = includesDeleted
    ? read.range(deletedSharesRange(account, prefix, from?.name))[Symbol.asyncIterator]()
    : undefined;
  const nextOf = async (source: typeof live | undefined): Promise<(Entry & { name: string }) | undefined> => {
    const step = await source?.next();
    return step === undefined || step.done
      ? undefined
      : { ...step.value, name: nameOfShareKey(step.value.key) };
  };
  let left = await nextOf(live);
  let right = await nextOf(deleted);
  while (left !== undefined || right !== undefined) {
    const isDeleted = left === undefined || (right !== undefined && right.name <= left.name);
    const { name } = (isDeleted ? right : left)!;
    const entries: ListedShare[] = [];
    for (; right?.name === name; right = await nextOf(deleted)) {
      const info = shareRecord.unpack(right.value);
      if ((info.deleted?.until ?? 0) > read.now())
        entries.push({ name, info, deletion: deletionOfKey(right.key) });
    }
    if (left?.name === name) {
      const info = shareRecord.unpack(left.value);
      if (includesSnapshots && (info.snapshots ?? 0) > 0)
        for (const snapshot of await readSnapshots(read, info.id))
          entries.push({ name, info: snapshot, snapshot: snapshot.time });
      entries.push({ name, info });
      left = await nextOf(live);
    }
    yield { name, entries };
  }
}
