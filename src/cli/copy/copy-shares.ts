import { parseXml } from "../../http/wire/xml.ts";
import { isSameMetadata } from "./copy-blobs.ts";
import type { CopyContext } from "./copy-context.ts";
import { COPY_LIMITS } from "./limits.ts";
import {
  encodePath,
  listPages,
  metadataHeaders,
  metadataIn,
  metadataOf,
  nameIn,
  type StorageReply,
  withoutBom,
} from "./storage-client.ts";

/**
 * Shares with their directories and files. A file is written range by range: its metadata is put when all of
 * it is there, and the time of its last write after that, so that a second run knows what is complete.
 */
const UNFINISHED = { holdfast_copying: "1" };

export async function copyShares(context: CopyContext): Promise<void> {
  const query = { comp: "list", include: "metadata" };
  const shares = listPages(context.source, { method: "GET", service: "file", path: "", query }, "Shares");
  for await (const entry of shares) {
    const name = nameIn(entry);
    const quota = entry.child("Properties")?.textOf("Quota");
    await context.attempt(`share ${name}`, () =>
      new ShareCopy(context, name).run({ ...metadataHeaders(metadataIn(entry)), "x-ms-share-quota": quota }),
    );
  }
}

/** A directory or a file of the source. */
interface Inode {
  /** Encoded, with the share. */
  readonly path: string;
  readonly isDirectory: boolean;
}

class ShareCopy {
  readonly #context: CopyContext;
  readonly #share: string;
  /** Security descriptors by the source's key. */
  readonly #permissions = new Map<string, Promise<Readonly<Record<string, string>>>>();

  constructor(context: CopyContext, share: string) {
    this.#context = context;
    this.#share = share;
  }

  async run(headers: Readonly<Record<string, string | undefined>>): Promise<void> {
    const context = this.#context;
    const share = { method: "PUT", service: "file", path: this.#share } as const;
    const isNew = await context.create({ ...share, query: { restype: "share" }, headers });
    if (!isNew) {
      await context.target.send({ ...share, query: { restype: "share", comp: "metadata" }, headers });
      await context.target.send({ ...share, query: { restype: "share", comp: "properties" }, headers });
    }
    await context.copyAcl("file", this.#share, "share");
    context.report.add(0);
    await context.each(
      this.#inodes(),
      ({ path }) => decodeURIComponent(path),
      (inode) => this.#copy(inode),
    );
    // Again: what was put into a directory has changed the time of its last write.
    await context.each(
      this.#inodes({ onlyDirectories: true }),
      ({ path }) => decodeURIComponent(path),
      (inode) => this.#copyTimes(inode),
    );
  }

  /** Directories before what is in them; each is created before its list is asked for. */
  async *#inodes({ onlyDirectories = false } = {}): AsyncGenerator<Inode> {
    const waiting = [this.#share];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const query = { restype: "directory", comp: "list" };
      const entries = listPages(
        this.#context.source,
        { method: "GET", service: "file", path, query },
        "Entries",
      );
      for await (const entry of entries) {
        const inode = {
          path: `${path}/${encodePath(nameIn(entry))}`,
          isDirectory: entry.name === "Directory",
        };
        if (inode.isDirectory) {
          waiting.push(inode.path);
          // Here and not by a worker: its files may come next.
          if (!onlyDirectories)
            await this.#context.attempt(decodeURIComponent(inode.path), () => this.#create(inode));
        }
        if (inode.isDirectory === onlyDirectories) yield inode;
      }
    }
  }

  #headOf({ path, isDirectory }: Inode, side: "source" | "target" = "source"): Promise<StorageReply> {
    const query = { restype: isDirectory ? "directory" : undefined };
    return this.#context[side].send({ method: "HEAD", service: "file", path, query, accepts: [404] });
  }

  async #create(inode: Inode): Promise<void> {
    const reply = await this.#headOf(inode);
    const query = { restype: "directory" };
    const headers = { ...metadataHeaders(metadataOf(reply)), ...(await this.#smbHeaders(reply)) };
    const directory = { method: "PUT", service: "file", path: inode.path } as const;
    const isNew = await this.#context.create({ ...directory, query, headers });
    if (!isNew) {
      const metadata = metadataHeaders(metadataOf(reply));
      const comp = { ...query, comp: "metadata" };
      await this.#context.target.send({ ...directory, query: comp, headers: metadata });
    }
    this.#context.report.add(0);
  }

  async #copyTimes(inode: Inode): Promise<void> {
    const headers = await this.#smbHeaders(await this.#headOf(inode));
    const query = { restype: "directory", comp: "properties" };
    await this.#context.target.send({ method: "PUT", service: "file", path: inode.path, query, headers });
  }

  async #smbHeaders({ headers }: StorageReply): Promise<Record<string, string>> {
    return {
      "x-ms-file-attributes": headers["x-ms-file-attributes"] ?? "None",
      "x-ms-file-creation-time": headers["x-ms-file-creation-time"] ?? "now",
      "x-ms-file-last-write-time": headers["x-ms-file-last-write-time"] ?? "now",
      ...(await this.#permissionOf(headers["x-ms-file-permission-key"])),
    };
  }

  /** The header that gives an object of the target the security descriptor of the source's key. */
  #permissionOf(key: string | undefined): Promise<Readonly<Record<string, string>>> {
    if (key === undefined) return Promise.resolve({ "x-ms-file-permission": "inherit" });
    const found = this.#permissions.get(key) ?? this.#copyPermission(key);
    this.#permissions.set(key, found);
    return found;
  }

  async #copyPermission(key: string): Promise<Readonly<Record<string, string>>> {
    const { source, target } = this.#context;
    const query = { restype: "share", comp: "filepermission" };
    const share = { service: "file", path: this.#share, query } as const;
    const read = await source.send({ ...share, method: "GET", headers: { "x-ms-file-permission-key": key } });
    const { permission } = JSON.parse(read.body.toString("utf8")) as { permission: string };
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ permission });
    const written = await target.send({ ...share, method: "PUT", headers, body });
    return { "x-ms-file-permission-key": written.headers["x-ms-file-permission-key"]! };
  }

  async #copy(inode: Inode): Promise<void> {
    const { report } = this.#context;
    const source = await this.#headOf(inode);
    const there = await this.#headOf(inode, "target");
    const length = Number(source.headers["content-length"] ?? 0);
    const isPresent =
      there.status !== 404 &&
      Number(there.headers["content-length"]) === length &&
      there.headers["x-ms-file-last-write-time"] === source.headers["x-ms-file-last-write-time"] &&
      isSameMetadata(metadataOf(source), there);
    if (isPresent) return report.skip();
    await this.#write(inode, source, length);
    report.add(length);
  }

  async #write({ path }: Inode, source: StorageReply, length: number): Promise<void> {
    const { target } = this.#context;
    const put = { method: "PUT", service: "file", path } as const;
    const { headers } = source;
    const smb = await this.#smbHeaders(source);
    const content = {
      "x-ms-content-type": headers["content-type"],
      "x-ms-content-encoding": headers["content-encoding"],
      "x-ms-content-language": headers["content-language"],
      "x-ms-content-disposition": headers["content-disposition"],
      "x-ms-cache-control": headers["cache-control"],
      "x-ms-content-md5": headers["content-md5"],
    };
    const created = { "x-ms-type": "file", "x-ms-content-length": String(length) };
    // A file that is read-only takes no ranges.
    const writable = { ...smb, "x-ms-file-attributes": "None" };
    await target.send({
      ...put,
      headers: { ...created, ...content, ...writable, ...metadataHeaders(UNFINISHED) },
    });
    await this.#copyRanges(path, headers.etag ?? "");
    await target.send({ ...put, query: { comp: "metadata" }, headers: metadataHeaders(metadataOf(source)) });
    await target.send({ ...put, query: { comp: "properties" }, headers: { ...content, ...smb } });
  }

  async #copyRanges(path: string, etag: string): Promise<void> {
    const { source, target, parts } = this.#context;
    const file = { service: "file", path } as const;
    const list = await source.send({ ...file, method: "GET", query: { comp: "rangelist" } });
    for (const range of parseXml(withoutBom(list.body)).all("Range")) {
      const end = Number(range.textOf("End")) + 1;
      for (let start = Number(range.textOf("Start")); start < end; start += COPY_LIMITS.writeBytes) {
        await parts.run(async () => {
          const span = `bytes=${start}-${Math.min(end, start + COPY_LIMITS.writeBytes) - 1}`;
          const { body, headers } = await source.send({
            ...file,
            method: "GET",
            headers: { "x-ms-range": span },
          });
          if (headers.etag !== etag) throw new Error("it changed while it was copied");
          await target.send({
            ...file,
            method: "PUT",
            query: { comp: "range" },
            headers: { "x-ms-range": span, "x-ms-write": "update" },
            body,
          });
        });
      }
    }
  }
}
