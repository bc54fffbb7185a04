import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { errorCode, UnusableDirectory } from "../../base/faults.js";
/**
 * A look at an LMDB file before it is mapped into memory. LMDB believes its file: one that was cut short ends the
 * process with a bus error at the first touch of a missing page, and the operator learns nothing. So the two meta
 * pages are read here first, as LMDB lays them out (little-endian, after a page header of 24 bytes):
 *
 *   24 magic u32, version u32    48 page size u32    88 root of the free list    136 root of the data
 *   144 last page used           152 transaction that wrote this meta page
 */
const MAGIC = 0xbeef_c0de;
const VERSION = 2;
const META_BYTES = 160;
const NO_PAGE = 0xffffffffffffffffn;
const PAGE_BYTES_MIN = 256;
const PAGE_BYTES_MAX = 65_536;
/** Pages taken and given back within one transaction are counted but never written: the file may lack some. */
const UNWRITTEN_PAGES_MAX = 256n;
/** Throws `UnusableDirectory` when the file is there and cannot be what LMDB wrote. */
export function checkDatabaseFile(path) {
    let descriptor;
    try {
        descriptor = openSync(path, "r");
    }
    catch (error) {
        if (errorCode(error) === "ENOENT")
            return;
        throw new UnusableDirectory(`${path} cannot be read: ${error.message}`);
    }
    try {
        const { size } = fstatSync(descriptor);
        if (size > 0)
            checkMetas(path, descriptor, size);
    }
    finally {
        closeSync(descriptor);
    }
}
function checkMetas(path, descriptor, size) {
    const first = readMeta(path, descriptor, 0);
    const second = readMeta(path, descriptor, first?.pageBytes ?? 4_096);
    // A crash may leave one of the two half written; the other then holds the last whole commit.
    const metas = [first, second].filter((meta) => meta !== undefined);
    const newest = metas.sort((a, b) => (a.transaction < b.transaction ? 1 : -1))[0];
    if (newest === undefined)
        throw new UnusableDirectory(`${path} is damaged: it does not begin as a database does`);
    const pages = BigInt(size) / BigInt(newest.pageBytes);
    const isCut = newest.roots.some((root) => root !== NO_PAGE && root >= pages);
    if (isCut || pages + UNWRITTEN_PAGES_MAX <= newest.lastPage) {
        throw new UnusableDirectory(`${path} is damaged: it holds ${pages} pages of ${newest.lastPage + 1n}`);
    }
}
function readMeta(path, descriptor, offset) {
    const page = Buffer.alloc(META_BYTES);
    if (readSync(descriptor, page, 0, META_BYTES, offset) < META_BYTES)
        return undefined;
    if (page.readUInt32LE(24) !== MAGIC)
        return undefined;
    const version = page.readUInt32LE(28) & 0xffff;
    if (version !== VERSION) {
        throw new UnusableDirectory(`${path} is of LMDB format ${version}, this build reads ${VERSION}`);
    }
    const pageBytes = page.readUInt32LE(48);
    if (pageBytes < PAGE_BYTES_MIN || pageBytes > PAGE_BYTES_MAX)
        return undefined;
    return {
        pageBytes,
        roots: [page.readBigUInt64LE(88), page.readBigUInt64LE(136)],
        lastPage: page.readBigUInt64LE(144),
        transaction: page.readBigUInt64LE(152),
    };
}
