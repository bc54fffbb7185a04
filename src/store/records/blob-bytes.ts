import { readUint64, writeUint64 } from "../../base/bytes.ts";
import { DamagedData } from "../../base/faults.ts";
import { KIB } from "../../base/limits.ts";
import type { BlobContent, BlobHttpHeaders, BlobKind, BlobRecord, BlobStateKind } from "./blob.ts";
import { recordType, ScratchBuffer } from "./record.ts";

/**
 * A blob's record at fixed offsets: every request for a blob reads or writes one, and most have no other
 * fields. Version 1 was a MessagePack map and is still read.
 *
 *   0 version 2   1 kind   2 headers, one bit each   3 1: the content is inline   4 id (8)   12 revision (8)
 *   20 created (8)   28 length (8)   36 bytes of the rest (4)
 *   40 the headers, each after its length (2); the rest, a record of its own; the inline content
 */
const VERSION = 2;
const HEAD_BYTES = 40;
const KINDS: readonly BlobKind[] = ["block", "append", "page"];
const HEADERS = [
  "contentType",
  "contentMd5",
  "contentEncoding",
  "contentLanguage",
  "contentDisposition",
  "cacheControl",
] as const satisfies readonly (keyof BlobHttpHeaders)[];

type Fixed = "id" | "kind" | "revision" | "created" | "length" | "http";
/** `stateKind` is stored as `past`. */
type StoredBlob = Omit<BlobRecord, "stateKind"> & { readonly past?: BlobStateKind };
type Rest = Omit<StoredBlob, Fixed | "content"> & { readonly content?: BlobContent };

const rest = recordType<Rest>("blobRest", 1);
const asMap = recordType<StoredBlob>("blob", 1);
const NOTHING = Buffer.alloc(0);

/** Overwritten by each `pack`: the store copies values at once. */
const scratch = new ScratchBuffer(64 * KIB);

export const blobRecord = {
  family: "blob",

  /** The bytes are valid until the next call. */
  pack(record: BlobRecord): Buffer {
    const { kind, content, http } = record;
    const others = restOf(record);
    const packedRest = others === undefined ? NOTHING : rest.pack(others);
    const inline = "inline" in content ? content.inline : NOTHING;
    let present = 0;
    let bytesMax = HEAD_BYTES + packedRest.length + inline.length;
    // By name: a dynamic lookup of each would take longer than all the rest.
    const texts = [
      http.contentType,
      http.contentMd5,
      http.contentEncoding,
      http.contentLanguage,
      http.contentDisposition,
      http.cacheControl,
    ];
    for (let bit = 0; bit < texts.length; bit++) {
      const text = texts[bit];
      if (text === undefined) continue;
      present |= 1 << bit;
      bytesMax += 2 + 3 * text.length;
    }
    const out = scratch.atLeast(bytesMax);
    out[0] = VERSION;
    out[1] = KINDS.indexOf(kind);
    out[2] = present;
    out[3] = "inline" in content ? 1 : 0;
    writeUint64(out, record.id, 4);
    writeUint64(out, record.revision, 12);
    writeUint64(out, record.created, 20);
    out.writeDoubleBE(record.length, 28);
    out.writeUInt32BE(packedRest.length, 36);
    let at = HEAD_BYTES;
    for (let bit = 0; bit < texts.length; bit++) {
      const text = texts[bit];
      if (text === undefined) continue;
      const bytes = out.utf8Write(text, at + 2);
      out.writeUInt16BE(bytes, at);
      at += 2 + bytes;
    }
    out.set(packedRest, at);
    at += packedRest.length;
    out.set(inline, at);
    return out.subarray(0, at + inline.length);
  },

  unpack(bytes: Buffer): BlobRecord {
    if (bytes[0] === 1) return withStateKind(asMap.unpack(bytes));
    if (bytes[0] !== VERSION) {
      throw new DamagedData(`record of family blob has version ${bytes[0]}, this build knows ${VERSION}`);
    }
    const kind = KINDS[bytes[1] ?? KINDS.length];
    if (kind === undefined || bytes.length < HEAD_BYTES)
      throw new DamagedData("the record of a blob is cut short");
    const present = bytes[2]!;
    const http: { -readonly [Name in keyof BlobHttpHeaders]: BlobHttpHeaders[Name] } = {};
    let at = HEAD_BYTES;
    for (let bit = 0; bit < HEADERS.length; bit++) {
      if ((present & (1 << bit)) === 0) continue;
      const end = at + 2 + readUint16(bytes, at);
      http[HEADERS[bit]!] = bytes.utf8Slice(at + 2, end);
      at = end;
    }
    const restBytes = bytes.readUInt32BE(36);
    if (at + restBytes > bytes.length) throw new DamagedData("the record of a blob is cut short");
    const others = restBytes === 0 ? undefined : rest.unpack(bytes.subarray(at, at + restBytes));
    at += restBytes;
    const content = bytes[3] === 1 ? { inline: bytes.subarray(at) } : others?.content;
    if (content === undefined) throw new DamagedData("the record of a blob names no content");
    const record: BlobRecord = {
      id: readUint64(bytes, 4),
      kind,
      revision: readUint64(bytes, 12),
      created: readUint64(bytes, 20),
      length: bytes.readDoubleBE(28),
      content,
      http,
    };
    return others === undefined ? record : withStateKind(Object.assign(record, others, { content }));
  },
};

function withStateKind(stored: StoredBlob): BlobRecord {
  if (stored.past === undefined) return stored;
  const { past: stateKind, ...record } = stored;
  return { ...record, stateKind };
}

function readUint16(bytes: Buffer, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

/** The fields without a fixed offset; undefined for most blobs. */
function restOf(record: BlobRecord): Rest | undefined {
  let found: Record<string, unknown> | undefined;
  for (const name in record) {
    switch (name) {
      case "id":
      case "kind":
      case "revision":
      case "created":
      case "length":
      case "http":
        continue;
      case "content":
        if ("inline" in record.content) continue;
    }
    const value = record[name as keyof BlobRecord];
    if (value === undefined) continue;
    found ??= {};
    found[name === "stateKind" ? "past" : name] = value;
  }
  return found as Rest | undefined;
}
