import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { errorCode, UnusableDirectory } from "../../base/faults.ts";

/**
 * Checks an LMDB file before it is mapped into memory. LMDB trusts its file: a truncated one ends the process
 * with a bus error at the first access to a missing page, without a message. So this reads the two meta pages
 * first (little-endian, after a page header of 24 bytes):
 *
 *   24 magic u32, version u32    48 page size u32    88 root of the free list    136 root of the data
 *   144 last page used           152 transaction that wrote this meta page
 */
const MAGIC = 0xbeef_c0de;
const VERSION = 2;
const META_BYTES = 160;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
const PAGE_BYTES_MIN = 256;
const PAGE_BYTES_MAX = 65_536;

/** Pages allocated and freed within one transaction are counted but never written: the file may lack some. */
const UNWRITTEN_PAGES_MAX = 256n;

interface Meta {
  readonly pageBytes: number;
  readonly roots: readonly bigint[];
  readonly lastPage: bigint;
  readonly transaction: bigint;
}

/** Throws `UnusableDirectory` when the file exists and LMDB cannot have written it. */
export function checkDatabaseFile(path: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw new UnusableDirectory(`${path} cannot be read: ${(error as Error).message}`);
  }
  try {
    const { size } = fstatSync(descriptor);
    if (size > 0) checkMetas(path, descriptor, size);
  } finally {
    closeSync(descriptor);
  }
}

function checkMetas(path: string, descriptor: number, size: number): void {
  const first = readMeta(path, descriptor, 0);
  const second = readMeta(path, descriptor, first?.pageBytes ?? 4_096);
  // A crash may leave one of the two incomplete; the other then has the last complete commit.
  const metas = [first, second].filter((meta) => meta !== undefined);
  const newest = metas.sort((a, b) => (a.transaction < b.transaction ? 1 : -1))[0];
  if (newest === undefined) throw new UnusableDirectory(`${path} is damaged: it has no LMDB header`);
  const pages = BigInt(size) / BigInt(newest.pageBytes);
  const isCut = newest.roots.some((root) => root !== NO_PAGE && root >= pages);
  if (isCut || pages + UNWRITTEN_PAGES_MAX <= newest.lastPage) {
    throw new UnusableDirectory(`${path} is damaged: it holds ${pages} pages of ${newest.lastPage + 1n}`);
  }
}

function readMeta(path: string, descriptor: number, offset: number): Meta | undefined {
  const page = Buffer.alloc(META_BYTES);
  if (readSync(descriptor, page, 0, META_BYTES, offset) < META_BYTES) return undefined;
  if (page.readUInt32LE(24) !== MAGIC) return undefined;
  const version = page.readUInt32LE(28) & 0xffff;
  if (version !== VERSION) {
    throw new UnusableDirectory(`${path} is of LMDB format ${version}, this build reads ${VERSION}`);
  }
  const pageBytes = page.readUInt32LE(48);
  if (pageBytes < PAGE_BYTES_MIN || pageBytes > PAGE_BYTES_MAX) return undefined;
  return {
    pageBytes,
    roots: [page.readBigUInt64LE(88), page.readBigUInt64LE(136)],
    lastPage: page.readBigUInt64LE(144),
    transaction: page.readBigUInt64LE(152),
  };
}
