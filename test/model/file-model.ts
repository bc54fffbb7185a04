/**
 * A share as plainly as it can be told: a map from upper-cased paths to nodes, files as arrays of bytes
 * beside arrays that say which of them were written, snapshots as copies of it all.
 */
export interface ModelEa {
  readonly name: string;
  readonly value: string;
}

export interface ModelFile {
  kind: "file";
  name: string;
  bytes: Buffer;
  written: Uint8Array;
  eas: ModelEa[];
}

export interface ModelDirectory {
  kind: "directory";
  name: string;
  eas: ModelEa[];
}

export type ModelNode = ModelFile | ModelDirectory;
export type Tree = Map<string, ModelNode>;

const keyOf = (path: readonly string[]): string => path.join("/").toUpperCase();

function copyTree(tree: Tree): Tree {
  const copy: Tree = new Map();
  for (const [key, inode] of tree) {
    copy.set(
      key,
      inode.kind === "file"
        ? {
            ...inode,
            bytes: Buffer.from(inode.bytes),
            written: Uint8Array.from(inode.written),
            eas: [...inode.eas],
          }
        : { ...inode, eas: [...inode.eas] },
    );
  }
  return copy;
}

const UNIT = 512;

export class ModelShare {
  tree: Tree = new Map();
  readonly snapshots = new Map<bigint, Tree>();

  find(path: readonly string[]): ModelNode | undefined {
    return this.tree.get(keyOf(path));
  }

  #parentIsThere(path: readonly string[]): boolean {
    for (let depth = 1; depth < path.length; depth++) {
      if (this.find(path.slice(0, depth))?.kind !== "directory") return false;
    }
    return true;
  }

  createFile(path: readonly string[], size: number): string {
    if (!this.#parentIsThere(path)) return "ParentNotFound";
    const found = this.find(path);
    if (found?.kind === "directory") return "ResourceTypeMismatch";
    const name = found?.name ?? path.at(-1)!;
    this.tree.set(keyOf(path), {
      kind: "file",
      name,
      bytes: Buffer.alloc(size),
      written: new Uint8Array(size),
      eas: [],
    });
    return "ok";
  }

  createDirectory(path: readonly string[]): string {
    if (!this.#parentIsThere(path)) return "ParentNotFound";
    if (this.find(path) !== undefined) return "ResourceAlreadyExists";
    this.tree.set(keyOf(path), { kind: "directory", name: path.at(-1)!, eas: [] });
    return "ok";
  }

  #file(path: readonly string[]): ModelFile | string {
    if (!this.#parentIsThere(path)) return "ParentNotFound";
    const found = this.find(path);
    if (found === undefined) return "ResourceNotFound";
    return found.kind === "file" ? found : "ResourceTypeMismatch";
  }

  write(path: readonly string[], from: number, bytes: Buffer): string {
    const file = this.#file(path);
    if (typeof file === "string") return file;
    if (from + bytes.length > file.bytes.length) return "InvalidRange";
    file.bytes.set(bytes, from);
    file.written.fill(1, from, from + bytes.length);
    return "ok";
  }

  clear(path: readonly string[], from: number, to: number): string {
    const file = this.#file(path);
    if (typeof file === "string") return file;
    if (to > file.bytes.length) return "InvalidRange";
    file.bytes.fill(0, from, to);
    file.written.fill(1, from, to);
    const first = Math.ceil(from / UNIT) * UNIT;
    const last = Math.floor(to / UNIT) * UNIT;
    if (first < last) file.written.fill(0, first, last);
    return "ok";
  }

  resize(path: readonly string[], size: number): string {
    const file = this.#file(path);
    if (typeof file === "string") return file;
    const bytes = Buffer.alloc(size);
    file.bytes.copy(bytes, 0, 0, Math.min(size, file.bytes.length));
    const written = new Uint8Array(size);
    written.set(file.written.subarray(0, size));
    file.bytes = bytes;
    file.written = written;
    return "ok";
  }

  deleteFile(path: readonly string[]): string {
    const file = this.#file(path);
    if (typeof file === "string") return file;
    this.tree.delete(keyOf(path));
    return "ok";
  }

  deleteDirectory(path: readonly string[]): string {
    if (!this.#parentIsThere(path)) return "ParentNotFound";
    const found = this.find(path);
    if (found === undefined) return "ResourceNotFound";
    if (found.kind !== "directory") return "ResourceTypeMismatch";
    if ([...this.tree.keys()].some((key) => key.startsWith(`${keyOf(path)}/`))) return "DirectoryNotEmpty";
    this.tree.delete(keyOf(path));
    return "ok";
  }

  rename(
    kind: "file" | "directory",
    from: readonly string[],
    to: readonly string[],
    replaces: boolean,
  ): string {
    if (!this.#parentIsThere(from)) return "ParentNotFound";
    const inode = this.find(from);
    if (inode === undefined) return "ResourceNotFound";
    if (inode.kind !== kind) return "ResourceTypeMismatch";
    if (!this.#parentIsThere(to)) return "ParentNotFound";
    const [source, target] = [keyOf(from), keyOf(to)];
    if (kind === "directory" && keyOf(to.slice(0, -1)).concat("/").startsWith(`${source}/`))
      return "InvalidInput";
    const present = this.find(to);
    if (present !== undefined && present !== inode) {
      if (!replaces || present.kind === "directory") return "ResourceAlreadyExists";
      this.tree.delete(target);
    }
    const moved = [...this.tree].filter(([key]) => key === source || key.startsWith(`${source}/`));
    for (const [key] of moved) this.tree.delete(key);
    for (const [key, value] of moved) this.tree.set(target + key.slice(source.length), value);
    inode.name = to.at(-1)!;
    return "ok";
  }

  copy(from: readonly string[], to: readonly string[]): string {
    const source = this.#file(from);
    // A source is only looked at, and a directory is no file.
    if (source === "ResourceTypeMismatch") return "ResourceNotFound";
    if (typeof source === "string") return source;
    const bytes = Buffer.from(source.bytes);
    const written = Uint8Array.from(source.written);
    const eas = [...source.eas];
    const made = this.createFile(to, bytes.length);
    if (made !== "ok") return made;
    Object.assign(this.find(to)!, { bytes, written, eas });
    return "ok";
  }

  /** One after the other: what has the name goes, and what has a value comes. */
  setEas(path: readonly string[], changes: readonly ModelEa[]): void {
    const inode = this.find(path)!;
    for (const change of changes) {
      const at = inode.eas.findIndex(({ name }) => name.toUpperCase() === change.name.toUpperCase());
      if (at >= 0) inode.eas.splice(at, 1);
      if (change.value !== "") inode.eas.push(change);
    }
  }

  snapshot(time: bigint): void {
    this.snapshots.set(time, copyTree(this.tree));
  }

  bytesUsed(): number {
    let bytes = 0;
    for (const inode of this.tree.values())
      bytes += (inode.kind === "file" ? inode.bytes.length : 0) + eaBytes(inode);
    return bytes;
  }
}

/** As FileEaInformation counts them. */
export function eaBytes({ eas }: ModelNode): number {
  let bytes = eas.length === 0 ? 0 : 4;
  for (const { name, value } of eas) bytes += 1 + 1 + 2 + name.length + 1 + value.length;
  return bytes;
}

/** Written bytes as spans, first and last included. */
export function spansOf(written: Uint8Array): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = [];
  for (let at = 0; at < written.length; at++) {
    if (written[at] !== 1) continue;
    const last = spans.at(-1);
    if (last !== undefined && last.to === at - 1) last.to = at;
    else spans.push({ from: at, to: at });
  }
  return spans;
}
