import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import { deletedSharesRange, deletionOfKey, nameOfShareKey, sharesRange } from "../../store/keys/file.ts";
import type { Reader } from "../../store/kv.ts";
import { type ShareRecord, shareRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import type { ShareFacts } from "./share-properties.ts";
import { readSnapshots } from "./snapshots.ts";

export interface ListShares {
  readonly account: string;
  readonly prefix: string;
  readonly maxResults: number;
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
  readonly facts: ShareFacts & Pick<ShareRecord, "deleted">;
  readonly snapshot?: bigint;
  readonly deletion?: Revision;
}

export interface SharesPage {
  readonly shares: readonly ListedShare[];
  readonly next: SharePosition | undefined;
  readonly now: Instant;
}

/** By name; of one name first the deleted shares, then the snapshots, then the share. */
export function listShares(files: FileService, request: ListShares): Promise<SharesPage> {
  const { maxResults, from } = request;
  return files.read(async (read) => {
    const shares: ListedShare[] = [];
    for await (const { name, lines } of sharesByName(read, request)) {
      const skip = name === from?.name ? from.skip : 0;
      const left = lines.slice(skip);
      const room = maxResults - shares.length;
      shares.push(...left.slice(0, room));
      if (left.length > room) return { shares, next: { name, skip: skip + room }, now: read.now() };
    }
    return { shares, next: undefined, now: read.now() };
  });
}

interface Lines {
  readonly name: string;
  readonly lines: ListedShare[];
}

async function* sharesByName(read: Reader, request: ListShares): AsyncGenerator<Lines> {
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
      const facts = shareRecord.unpack(right.value.value);
      if ((facts.deleted?.until ?? 0) > read.now()) {
        lines.push({ name, facts, deletion: deletionOfKey(right.value.key) });
      }
      right = await gone?.next();
    }
    if (!left.done && liveName === name) {
      const facts = shareRecord.unpack(left.value.value);
      if (includesSnapshots && (facts.snapshots ?? 0) > 0) {
        for (const snapshot of await readSnapshots(read, facts.id)) {
          lines.push({ name, facts: snapshot, snapshot: snapshot.time });
        }
      }
      lines.push({ name, facts });
      left = await live.next();
    }
    yield { name, lines };
  }
}
