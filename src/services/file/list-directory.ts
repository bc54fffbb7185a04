import { entriesRange, foldedOfEntryKey, inodeKey } from "../../store/keys/file.ts";
import { type EntryRecord, entryRecord, type InodeRecord, inodeRecord } from "../../store/records/file.ts";
import type { NewPage, Page } from "../page.ts";
import type { FileService } from "./file-service.ts";
import { type Inode, lookUp } from "./inodes.ts";
import { FILE_LIMITS } from "./limits.ts";
import { foldName, type PathRef } from "./names.ts";
import { openShare } from "./shares.ts";
import type { View } from "./versions.ts";

export interface ListDirectory<P extends Page<ListedInode>> {
  readonly ref: PathRef;
  readonly prefix: string;
  readonly maxResults: number;
  readonly newPage: NewPage<ListedInode, P>;
  /** The folded name the page begins with. */
  readonly from?: string | undefined;
}

export interface ListedInode {
  readonly entry: EntryRecord;
  readonly record: InodeRecord;
}

export interface DirectoryPage<P> {
  readonly directory: Inode;
  readonly page: P;
  readonly next: string | undefined;
}

/** A listed entry with its folded name, where a page may begin. */
interface Found {
  readonly folded: string;
  readonly entry: EntryRecord;
}

/**
 * Lists one level of a directory, files and directories in one case-insensitive order. A page costs what it
 * holds, wherever it begins. Delete-pending files are left out.
 */
export function listDirectory<P extends Page<ListedInode>>(
  files: FileService,
  request: ListDirectory<P>,
): Promise<DirectoryPage<P>> {
  const { ref, prefix, maxResults, from } = request;
  return files.read(async (read, admissions) => {
    const { share, view } = await openShare(read, ref);
    const directory = await lookUp(view, share.id, ref.path, "directory");
    if (ref.snapshot === undefined) admissions.ask(share, directory, "look");
    const hidden = ref.snapshot === undefined ? admissions.hidden(share) : undefined;
    const found: Found[] = [];
    let next: string | undefined;
    for await (const { key, value } of view.range(
      entriesRange(share.id, directory.id, foldName(prefix), from),
    )) {
      const entry = entryRecord.unpack(value);
      if (hidden?.has(entry.inode) === true) continue;
      const folded = foldedOfEntryKey(key);
      if (found.length === maxResults) {
        next = folded;
        break;
      }
      found.push({ folded, entry });
    }
    const page = request.newPage(read.now());
    const fullAt = await addInodes(view, share.id, found, page);
    return { directory, page, next: fullAt ?? next };
  });
}

/** Adds entries with their inodes in batches. Returns the name of the first entry that does not fit. */
async function addInodes(
  view: View,
  share: bigint,
  found: readonly Found[],
  page: Page<ListedInode>,
): Promise<string | undefined> {
  for (let at = 0; at < found.length; at += FILE_LIMITS.listedInodesPerStep) {
    const batch = found.slice(at, at + FILE_LIMITS.listedInodesPerStep);
    const stored = await view.getMany(batch.map(({ entry }) => inodeKey(share, entry.inode)));
    for (const [i, { folded, entry }] of batch.entries()) {
      if (page.isFull) return folded;
      const bytes = stored[i];
      if (bytes !== undefined) page.add({ entry, record: inodeRecord.unpack(bytes) });
    }
  }
  return undefined;
}
