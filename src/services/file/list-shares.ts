import type { Revision } from "../../base/revision.ts";
import { deletedSharesRange, deletionOfKey, nameOfShareKey, sharesRange } from "../../store/keys/file.ts";
import type { Reader } from "../../store/kv.ts";
import { type ShareRecord, shareRecord } from "../../store/records/file.ts";
import type { NewPage, Page } from "../page.ts";
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

/** Where a page begins: a share's name, and within it how many of its lines came before. */
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

export interface SharesPage<P> {
  readonly page: P;
  readonly next: SharePosition | undefined;
}

/** By name; of one name first the deleted shares, then the snapshots, then the share. */
export function listShares<P extends Page<ListedShare>>(
  files: FileService,
  request: ListShares<P>,
): Promise<SharesPage<P>> {
  const { from } = request;
  return files.read(async (read) => {
    const page = request.newPage(read.now());
    for await (const { name, lines } of sharesByName(read, request)) {
      const skip = name === from?.name ? from.skip : 0;
      for (let at = skip; at < lines.length; at++) {
        if (page.isFull) return { page, next: { name, skip: at } };
        page.add(lines[at]!);
      }
    }
    return { page, next: undefined };
  });
}

type Bounds = Omit<ListShares<Page<ListedShare>>, "newPage">;

interface Lines {
  readonly name: string;
  readonly lines: ListedShare[];
}

async function* sharesByName(read: Reader, request: Bounds): AsyncGenerator<Lines> {
  const { account, prefix, from, includesDeleted, includesSnapshots } = request;
  const live = read.range(sharesRange(account, prefix, from?.name))[Symbol.asyncIterator]();
  const gone = includesDeleted
    ? read.range(deletedSharesRange(account, prefix, from?.name))[Symbol.asyncIterator]()
    : undefined;
  let left = await live.next();
  let right = await gone?.next();
  while (!left.done || (right !== undefined && !right.done)) {
    const liveName = left.done ? undefined : nameOfShareKey(left.value.key);
    const goneName = right === undefined || right.done ? undefined : nameOfShareKey(right.value.key);
    const isGone = goneName !== undefined && (liveName === undefined || goneName <= liveName);
    const name = (isGone ? goneName : liveName)!;
    const lines: ListedShare[] = [];
    while (right !== undefined && !right.done && nameOfShareKey(right.value.key) === name) {
      const info = shareRecord.unpack(right.value.value);
      if ((info.deleted?.until ?? 0) > read.now()) {
        lines.push({ name, info, deletion: deletionOfKey(right.value.key) });
      }
      right = await gone?.next();
    }
    if (!left.done && liveName === name) {
      const info = shareRecord.unpack(left.value.value);
      if (includesSnapshots && (info.snapshots ?? 0) > 0) {
        for (const snapshot of await readSnapshots(read, info.id)) {
          lines.push({ name, info: snapshot, snapshot: snapshot.time });
        }
      }
      lines.push({ name, info });
      left = await live.next();
    }
    yield { name, lines };
  }
}
