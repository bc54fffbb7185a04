import type { Instant } from "../../base/clock.ts";
import { revisionAt, revisionOfTimestamp } from "../../base/revision.ts";
import type { StoredLease } from "../../base/stored-lease.ts";
import { appendToContent } from "../../services/blob/append-content.ts";
import { type Found, findBlob, putBlobRecord } from "../../services/blob/blobs.ts";
import { findContainer, putContainer } from "../../services/blob/containers.ts";
import { openBlobContent, putBlocks } from "../../services/blob/content.ts";
import { type PageContent, putEmptyPages, putPages, segmentsIn } from "../../services/blob/page-content.ts";
import { putStagedBlock } from "../../services/blob/put-block.ts";
import { putVersionOrSnapshot } from "../../services/blob/replace-blob.ts";
import { type Ingested, NO_CONTENT, openContent } from "../../services/payload/content.ts";
import type { OpenPayload, Payloads } from "../../services/payload/payloads.ts";
import { blobKey, stagedBlockKey, versionKey } from "../../store/keys/blob.ts";
import type { Reader, Writer } from "../../store/kv.ts";
import {
  type BlobContent,
  type BlobRecord,
  type BlockEntry,
  type ContainerRecord,
  stagedBlockRecord,
} from "../../store/records/blob.ts";
import { blobRecord } from "../../store/records/blob-bytes.ts";
import { type Chunk, chunkOf, fieldsOf } from "./azurite-data.ts";
import { damaged, type Fields, policiesOf, revisionOf } from "./fields.ts";
import {
  type Comparison,
  canonical,
  defined,
  type Import,
  type ImportContext,
  type ImportStep,
} from "./import-step.ts";
import type { LokiRecord } from "./loki-file.ts";

/** Containers, blobs with their snapshots, and uncommitted blocks. */

const refOf = (fields: Fields, blobField: string) => ({
  account: fields.text("accountName"),
  container: fields.text("containerName"),
  blob: fields.text(blobField),
});

/** A stored lease. Time alone turns it into expired or broken, as with a lease of our own. */
function leaseOf(fields: Fields, state: string | undefined): StoredLease | undefined {
  const id = fields.optionalText("leaseId");
  if (state === undefined || state === "available" || id === undefined) return undefined;
  const seconds = fields.optionalNumber("leaseDurationSeconds");
  const endsAt = fields.optionalTime("leaseExpireTime");
  switch (state) {
    case "leased":
      if (seconds === undefined || seconds < 0 || endsAt === undefined)
        return { state, id, length: "infinite", endsAt: "never" };
      return { state, id, length: seconds * 1_000, endsAt };
    case "expired":
      return { state, id, length: (seconds ?? 0) * 1_000 };
    case "breaking":
      return { state, id, brokenAt: fields.time("leaseBreakTime") };
    case "broken":
      return { state, id };
    default:
      throw damaged(fields.name, `the lease is ${state}`);
  }
}

function publicAccessOf(properties: Fields): ContainerRecord["publicAccess"] {
  const access = properties.optionalText("publicAccess");
  if (access === undefined || access === "blob" || access === "container") return access;
  throw damaged(properties.name, `the public access is ${access}`);
}

interface AzuriteContainer {
  readonly ref: { readonly account: string; readonly container: string };
  readonly record: Omit<ContainerRecord, "id">;
}

function containerOf(record: LokiRecord): AzuriteContainer {
  const outer = fieldsOf(record, "a container");
  const ref = { account: outer.text("accountName"), container: outer.text("name") };
  const fields = fieldsOf(record, `the container ${ref.account}/${ref.container}`);
  const properties = fields.fields("properties");
  const policies = policiesOf(fields, "containerAcl");
  return {
    ref,
    record: defined({
      revision: revisionOf(properties.time("lastModified"), properties.optionalText("etag")),
      metadata: fields.optionalTexts("metadata"),
      publicAccess: publicAccessOf(properties),
      policies: policies.length === 0 ? undefined : policies,
      lease: leaseOf(fields, properties.optionalText("leaseState")),
    }) as Omit<ContainerRecord, "id">,
  };
}

export const containerStep: ImportStep = {
  file: "blob",
  isIn: (collection) => collection === "$CONTAINERS_COLLECTION$",
  async prepare(_, record) {
    const { ref, record: container } = containerOf(record);
    return {
      async write(write) {
        putContainer(write, ref, { id: write.revision(), ...container });
        return "imported";
      },
    };
  },
  async compare(_, read, record) {
    const { ref, record: expected } = containerOf(record);
    const { id: _id, ...stored } = (await findContainer(read, ref)) ?? { id: 0n };
    return canonical(stored) === canonical(expected) ? undefined : `the container ${ref.container}`;
  },
};

/** Bytes of a blob from `start` on. */
interface PlacedChunk {
  readonly start: number;
  readonly chunk: Chunk;
  /** Of a block. */
  readonly id: string;
}

interface AzuriteBlob {
  readonly name: string;
  readonly ref: { readonly account: string; readonly container: string; readonly blob: string };
  readonly snapshot: bigint | undefined;
  readonly form: "whole" | "blocks" | "pages";
  readonly placed: readonly PlacedChunk[];
  readonly record: Omit<BlobRecord, "id" | "content">;
}

const KINDS: Readonly<Record<string, BlobRecord["kind"]>> = {
  BlockBlob: "block",
  AppendBlob: "append",
  PageBlob: "page",
};

/** Undefined for a blob that Azurite has marked as deleted. */
function blobOf(loki: LokiRecord): AzuriteBlob | undefined {
  const outer = fieldsOf(loki, "a blob");
  if (outer.flag("deleted")) return undefined;
  const ref = refOf(outer, "name");
  const at = outer.optionalText("snapshot") ?? "";
  const name = `the blob ${ref.account}/${ref.container}/${ref.blob}${at === "" ? "" : ` at ${at}`}`;
  const fields = fieldsOf(loki, name);
  const properties = fields.fields("properties");
  const kind = KINDS[properties.text("blobType")];
  if (kind === undefined) throw damaged(name, `it is a ${properties.text("blobType")}`);
  const snapshot = at === "" ? undefined : revisionOfTimestamp(at);
  if (at !== "" && snapshot === undefined) throw damaged(name, "its snapshot is no time");
  const { form, placed } = placedChunksOf(fields, kind);
  const length = properties.optionalNumber("contentLength") ?? 0;
  const sum = placed.reduce((total, { chunk }) => total + chunk.count, 0);
  if (form !== "pages" && sum !== length) throw damaged(name, `it has ${sum} of its ${length} bytes`);
  const isOfBlocks = kind === "block" && form === "blocks" && placed.length > 0;
  const isInferred = properties.value("accessTierInferred") === true;
  const record = {
    kind,
    revision: revisionOf(properties.time("lastModified"), properties.optionalText("etag")),
    created: revisionAt(properties.optionalTime("creationTime") ?? properties.time("lastModified")),
    length,
    http: defined({
      contentType: properties.optionalText("contentType"),
      contentEncoding: properties.optionalText("contentEncoding"),
      contentLanguage: properties.optionalText("contentLanguage"),
      contentMd5: md5Of(properties),
      contentDisposition: properties.optionalText("contentDisposition"),
      cacheControl: properties.optionalText("cacheControl"),
    }),
    metadata: fields.optionalTexts("metadata"),
    tags: tagsOf(fields),
    lease: snapshot === undefined ? leaseOf(fields, properties.optionalText("leaseState")) : undefined,
    tier: isInferred ? undefined : properties.optionalText("accessTier"),
    tierChangedAt: isInferred ? undefined : properties.optionalTime("accessTierChangeTime"),
    copy: copyOf(properties),
    keySha256: properties.optionalText("customerProvidedKeySha256"),
    encryptionScope: properties.optionalText("encryptionScope"),
    isUncommitted: fields.value("isCommitted") === false ? true : undefined,
    blockCount: isOfBlocks ? placed.length : undefined,
    blockIdBytes: isOfBlocks ? Buffer.from(placed[0]!.id, "base64").length : undefined,
    appendCount: kind === "append" ? placed.length : undefined,
    isSealed: properties.flag("isSealed") ? true : undefined,
    sequenceNumber:
      kind === "page" ? BigInt(properties.optionalNumber("blobSequenceNumber") ?? 0) : undefined,
    stateKind: snapshot === undefined ? undefined : "snapshot",
  };
  return { name, ref, snapshot, form, placed, record: defined(record) as AzuriteBlob["record"] };
}

function placedChunksOf(fields: Fields, kind: BlobRecord["kind"]): Pick<AzuriteBlob, "form" | "placed"> {
  if (kind === "page") {
    const placed = fields.list("pageRangesInOrder").map((range) => {
      const [start, end] = [range.whole("start"), range.whole("end")];
      const chunk = chunkOf(range.fields("persistency"));
      if (chunk.count < end + 1 - start) throw damaged(fields.name, `the range at ${start} is cut short`);
      return { start, chunk: { ...chunk, count: end + 1 - start }, id: "" };
    });
    return { form: "pages", placed };
  }
  const body = fields.optionalFields("persistency");
  if (body !== undefined) return { form: "whole", placed: [{ start: 0, chunk: chunkOf(body), id: "" }] };
  let start = 0;
  const placed = fields.list("committedBlocksInOrder").map((block) => {
    const chunk = chunkOf(block.fields("persistency"));
    const placedChunk = { start, chunk, id: block.text("name") };
    start += chunk.count;
    return placedChunk;
  });
  return { form: "blocks", placed };
}

/** Azurite has kept it as bytes in several forms of JSON. */
function md5Of(properties: Fields): string | undefined {
  const value = properties.value("contentMD5");
  if (value === undefined || typeof value === "string") return value;
  const data = (value as { data?: unknown }).data ?? value;
  const bytes = Array.isArray(data) ? data : Object.values(data as object);
  return Buffer.from(bytes as number[]).toString("base64");
}

function tagsOf(fields: Fields): BlobRecord["tags"] {
  const tags = fields.optionalFields("blobTags")?.list("blobTagSet") ?? [];
  if (tags.length === 0) return undefined;
  return Object.fromEntries(tags.map((tag) => [tag.text("key"), tag.text("value")]));
}

function copyOf(properties: Fields): BlobRecord["copy"] {
  const [id, source] = [properties.optionalText("copyId"), properties.optionalText("copySource")];
  const status = properties.optionalText("copyStatus");
  if (id === undefined || source === undefined || status === undefined) return undefined;
  const [copied = 0, total = 0] = (properties.optionalText("copyProgress") ?? "").split("/").map(Number);
  return defined({
    id,
    source,
    // No copy of Azurite continues here.
    status: status === "pending" ? "failed" : (status as "success" | "aborted" | "failed"),
    description: properties.optionalText("copyStatusDescription"),
    bytesCopied: copied,
    bytesTotal: total,
    completedAt: properties.optionalTime("copyCompletionTime") as Instant,
    isIncremental: properties.flag("incrementalCopy") ? true : undefined,
  }) as BlobRecord["copy"];
}

async function containerFor(read: Reader, ref: AzuriteBlob["ref"]): Promise<Found | undefined> {
  return (await findContainer(read, ref)) === undefined ? undefined : findBlob(read, ref);
}

export const blobStep: ImportStep = {
  file: "blob",
  isIn: (collection) => collection === "$BLOBS_COLLECTION$",

  async prepare(context, loki) {
    const blob = blobOf(loki);
    if (blob === undefined) return undefined;
    const content = await ingestContent(context, blob);
    return {
      async write(write) {
        const found = await containerFor(write, blob.ref);
        if (found === undefined) return "orphan";
        const record = { id: write.revision(), ...blob.record, content: await content(write) };
        if (blob.snapshot === undefined) putBlobRecord(write, found, found.stored, record);
        else putVersionOrSnapshot(write, found, blob.snapshot, record);
        return "imported";
      },
    };
  },

  async compare(context, read, loki) {
    const blob = blobOf(loki);
    const container = blob && (await findContainer(read, blob.ref));
    if (blob === undefined || container === undefined) return undefined;
    const { snapshot, ref } = blob;
    const key =
      snapshot === undefined ? blobKey(container.id, ref.blob) : versionKey(container.id, ref.blob, snapshot);
    const bytes = await read.get(key);
    if (bytes === undefined) return blob.name;
    const stored = blobRecord.unpack(bytes);
    const { id: _id, content, staging: _staging, ...fields } = stored;
    if (canonical(fields) !== canonical(blob.record)) return blob.name;
    if ("pages" in content && (await mappedBytes(read, content)) !== bytesOf(blob)) return blob.name;
    const payload = await openBlobContent(context.blobs.payloads, read, stored);
    return compareBodies(context, blob, payload);
  },
};

/** Ingests the bytes; returns what enters them in a transaction. */
async function ingestContent(
  { bodies, blobs: { payloads } }: ImportContext,
  { form, placed, name, record: { kind } }: AzuriteBlob,
): Promise<(write: Writer) => Promise<BlobContent>> {
  if (form === "pages") {
    const pages = await Promise.all(placed.map(({ chunk, start }) => bodies.ingestPages(chunk, start, name)));
    return async (write) => {
      const content = putEmptyPages(write);
      for (const { ranges, slices } of pages) {
        await payloads.keep(write, slices);
        await putPages(payloads, write, content, ranges);
      }
      return content;
    };
  }
  const ingested = await Promise.all(
    placed.map(({ chunk }) => bodies.ingest(chunk, form === "whole" ? "blob" : "block", name)),
  );
  return async (write) => {
    for (const body of ingested) await bodies.reference(write, body);
    if (ingested.length === 0) return NO_CONTENT;
    if (form === "whole" && kind === "block") return ingested[0]!.content;
    const blocks = ingested.map(({ content, length }, i) => ({ id: placed[i]!.id, length, bytes: content }));
    return kind === "block" ? putBlocks(write, blocks) : appended(payloads, write, blocks);
  };
}

async function appended(
  payloads: Payloads,
  write: Writer,
  blocks: readonly BlockEntry[],
): Promise<BlobContent> {
  let content: BlobContent = NO_CONTENT;
  let length = 0;
  for (const block of blocks) {
    content = await appendToContent(payloads, write, { content, length }, block.bytes, block.length);
    length += block.length;
  }
  return content;
}

const bytesOf = ({ placed }: AzuriteBlob): number => placed.reduce((sum, { chunk }) => sum + chunk.count, 0);

async function mappedBytes(read: Reader, content: PageContent): Promise<number> {
  let bytes = 0;
  for await (const { ranges } of segmentsIn(read, content)) for (const { length } of ranges) bytes += length;
  return bytes;
}

function compareBodies(
  { data }: ImportContext,
  { placed, name }: Pick<AzuriteBlob, "placed" | "name">,
  payload: OpenPayload,
): () => Promise<string | undefined> {
  return async () => {
    try {
      for (const { start, chunk } of placed) {
        let at = 0;
        for await (const part of payload.stream(start, chunk.count)) {
          const original = { ...chunk, offset: chunk.offset + at, count: part.length };
          if (!part.equals(await data.readAll("blob", original, name))) return name;
          at += part.length;
        }
        if (at !== chunk.count) return name;
      }
      return undefined;
    } finally {
      payload.close();
    }
  };
}

interface AzuriteBlock {
  readonly name: string;
  readonly ref: AzuriteBlob["ref"];
  readonly blockId: string;
  readonly chunk: Chunk;
}

function blockOf(loki: LokiRecord): AzuriteBlock {
  const ref = refOf(fieldsOf(loki, "an uncommitted block"), "blobName");
  const fields = fieldsOf(loki, `an uncommitted block of ${ref.account}/${ref.container}/${ref.blob}`);
  return {
    name: fields.name,
    ref,
    blockId: fields.text("name"),
    chunk: chunkOf(fields.fields("persistency")),
  };
}

export const blockStep: ImportStep = {
  file: "blob",
  isIn: (collection) => collection === "$BLOCKS_COLLECTION$",

  async prepare({ bodies, blobs: { payloads } }, loki): Promise<Import> {
    const { name, ref, blockId, chunk } = blockOf(loki);
    const ingested: Ingested = await bodies.ingest(chunk, "block", name);
    return {
      async write(write) {
        const found = await containerFor(write, ref);
        if (found?.stored === undefined) return "orphan";
        await bodies.reference(write, ingested);
        const blockIdBytes = Buffer.from(blockId, "base64").length;
        const { content, length } = ingested;
        await putStagedBlock(payloads, write, found, found.stored, {
          blockId,
          blockIdBytes,
          content,
          length,
        });
        return "imported";
      },
    };
  },

  async compare(context, read, loki): Promise<Comparison> {
    const { name, ref, blockId, chunk } = blockOf(loki);
    const stored = (await containerFor(read, ref))?.stored;
    if (stored === undefined) return undefined;
    const bytes = await read.get(stagedBlockKey(stored.staging ?? 0n, blockId));
    const block = bytes === undefined ? undefined : stagedBlockRecord.unpack(bytes);
    if (block?.length !== chunk.count) return name;
    const payload = await openContent(context.blobs.payloads, read, block.bytes);
    return compareBodies(context, { name, placed: [{ start: 0, chunk, id: "" }] }, payload);
  },
};
