import { type Revision } from "../../base/revision.ts";
import type { Writer } from "../../store/kv.ts";
import { type EntryRecord, type NodeRecord, type ShareRecord } from "../../store/records/file.ts";
import { type View } from "./versions.ts";
/** Files and directories: finding them by path, and writing their records. */
export declare const ROOT: bigint;
/** A node with its id. */
export interface Node {
    readonly id: bigint;
    readonly record: NodeRecord;
}
/** Where a path ends: its parent directory, the last name, and what is there. */
export interface Place {
    readonly parent: bigint;
    readonly name: string;
    readonly entry: EntryRecord | undefined;
}
export declare function findEntry(view: View, share: bigint, directory: bigint, name: string): Promise<EntryRecord | undefined>;
/** The place a path names; the root has none. */
export declare function findPlace(view: View, share: bigint, path: readonly string[]): Promise<Place>;
export declare function findNode(view: View, share: bigint, id: bigint): Promise<NodeRecord | undefined>;
export declare function readNode(view: View, share: bigint, id: bigint): Promise<NodeRecord>;
/** The node at a path, whatever it is. */
export declare function findAny(view: View, share: bigint, path: readonly string[]): Promise<Node>;
export declare function findFile(view: View, share: bigint, path: readonly string[]): Promise<Node>;
export declare function findDirectory(view: View, share: bigint, path: readonly string[]): Promise<Node>;
/**
 * For those who only look: asked as what it is not, a node is not there. Clients find out so whether a path is a
 * file or a directory.
 */
export declare function lookUp(view: View, share: bigint, path: readonly string[], kind: NodeRecord["kind"]): Promise<Node>;
export declare function isEmptyDirectory(view: View, share: bigint, directory: bigint): Promise<boolean>;
export declare function putNode(write: Writer, share: ShareRecord, id: bigint, record: NodeRecord, since: Revision): Promise<void>;
export declare function removeNode(write: Writer, share: ShareRecord, id: bigint): Promise<void>;
export declare function putEntry(write: Writer, share: ShareRecord, directory: bigint, entry: EntryRecord, since: Revision): Promise<void>;
export declare function removeEntry(write: Writer, share: ShareRecord, directory: bigint, name: string): Promise<void>;
/** Names from the root down, for those who know only the id. */
export declare function pathOf(view: View, share: bigint, id: bigint): Promise<string[]>;
/** The wall clock of a transaction in the ticks that file times are kept in. */
export declare function ticksOf(write: Pick<Writer, "now">): bigint;
