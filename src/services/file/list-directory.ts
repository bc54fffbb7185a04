import { entriesRange, foldedOfEntryKey, nodeKey } from "../../store/keys/file.ts";
import { type EntryRecord, entryRecord, type NodeRecord, nodeRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import { foldName, type PathRef } from "./names.ts";
import { findDirectory, type Node } from "./nodes.ts";
import { openShare } from "./shares.ts";

export interface ListDirectory {
  readonly ref: PathRef;
  readonly prefix: string;
  readonly maxResults: number;
  /** The folded name the page begins with. */
  readonly from?: string | undefined;
}

export interface ListedNode {
  readonly entry: EntryRecord;
  readonly record: NodeRecord;
}

export interface DirectoryPage {
  readonly directory: Node;
  readonly entries: readonly ListedNode[];
  readonly next: string | undefined;
}

/**
 * One level of a directory, files and directories in one order that does not look at case. A page costs what it
 * holds, wherever it begins. Files that wait for their last handle to close are not shown.
 */
export function listDirectory(files: FileService, request: ListDirectory): Promise<DirectoryPage> {
  const { ref, prefix, maxResults, from } = request;
  return files.read(async (read, grants) => {
    const { share, view } = await openShare(read, ref);
    const directory = await findDirectory(view, share.id, ref.path);
    if (ref.snapshot === undefined) grants.ask(share, directory, "look");
    const hidden = ref.snapshot === undefined ? grants.hidden(share) : undefined;
    const found: EntryRecord[] = [];
    let next: string | undefined;
    for await (const { key, value } of view.range(
      entriesRange(share.id, directory.id, foldName(prefix), from),
    )) {
      const entry = entryRecord.unpack(value);
      if (hidden?.has(entry.node) === true) continue;
      if (found.length === maxResults) {
        next = foldedOfEntryKey(key);
        break;
      }
      found.push(entry);
    }
    const entries: ListedNode[] = [];
    const stored = await view.getMany(found.map(({ node }) => nodeKey(share.id, node)));
    for (const [i, entry] of found.entries()) {
      const bytes = stored[i];
      if (bytes !== undefined) entries.push({ entry, record: nodeRecord.unpack(bytes) });
    }
    return { directory, entries, next };
  });
}
