import { MIB } from "../../base/limits.ts";
import { parseHttpDate } from "../../http/wire/dates.ts";
import { parseXml, type XmlElement } from "../../http/wire/xml.ts";
import { element, printXml, textElement } from "../../http/wire/xml-print.ts";
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
 * Containers and their blobs. A block blob appears in the target when all of it is there. A page or append
 * blob is written in several writes: it has this metadata until it is complete, so that a second run knows.
 */
const UNFINISHED = { holdfast_copying: "1" };

export async function copyBlobs(context: CopyContext): Promise<void> {
  const containers = { method: "GET", service: "blob", path: "" } as const;
  const query = { comp: "list", include: "metadata" };
  for await (const entry of listPages(context.source, { ...containers, query }, "Containers"))
    await context.attempt(`container ${nameIn(entry)}`, () => copyContainer(context, entry));
}

async function copyContainer(context: CopyContext, entry: XmlElement): Promise<void> {
  const name = nameIn(entry);
  const query = { restype: "container" };
  const container = { method: "PUT", service: "blob", path: name } as const;
  const headers = metadataHeaders(metadataIn(entry));
  const isNew = await context.create({ ...container, query, headers });
  if (!isNew) await context.target.send({ ...container, query: { ...query, comp: "metadata" }, headers });
  await context.attempt(`the access policies of ${name}`, () => context.copyAcl("blob", name, "container"));
  context.report.add(0);
  const list = { comp: "list", restype: "container", include: "metadata,tags" };
  const blobs = listPages(
    context.source,
    { method: "GET", service: "blob", path: name, query: list },
    "Blobs",
  );
  await context.each(
    blobs,
    (blob) => `blob ${name}/${nameIn(blob)}`,
    (blob) => copyBlob(context, { container: name, entry: blob, isNew }),
  );
}

interface Blob {
  readonly path: string;
  readonly type: string;
  readonly length: number;
  readonly metadata: Readonly<Record<string, string>>;
  /** Of a request that creates it or commits its blocks. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly properties: XmlElement;
  /** Reads fail when the source changes meanwhile. */
  readonly etag: string;
}

function blobOf(container: string, entry: XmlElement): Blob {
  const properties = entry.child("Properties")!;
  const text = (name: string): string | undefined => properties.textOf(name) || undefined;
  const tags = entry.child("Tags")?.child("TagSet")?.children ?? [];
  const tagText = tags.map((tag) =>
    [tag.textOf("Key"), tag.textOf("Value")].map((part) => encodeURIComponent(part ?? "")).join("="),
  );
  const metadata = metadataIn(entry);
  const isInferred = properties.textOf("AccessTierInferred") === "true";
  const etag = text("Etag") ?? "";
  return {
    path: `${container}/${encodePath(nameIn(entry))}`,
    type: text("BlobType") ?? "",
    length: Number(text("Content-Length") ?? 0),
    metadata,
    headers: {
      "x-ms-blob-content-type": text("Content-Type"),
      "x-ms-blob-content-encoding": text("Content-Encoding"),
      "x-ms-blob-content-language": text("Content-Language"),
      "x-ms-blob-content-disposition": text("Content-Disposition"),
      "x-ms-blob-cache-control": text("Cache-Control"),
      "x-ms-blob-content-md5": text("Content-MD5"),
      "x-ms-tags": tagText.length === 0 ? undefined : tagText.join("&"),
      "x-ms-access-tier": isInferred ? undefined : text("AccessTier"),
      ...metadataHeaders(metadata),
    },
    properties,
    etag: etag.startsWith('"') ? etag : `"${etag}"`,
  };
}

async function copyBlob(
  context: CopyContext,
  { container, entry, isNew }: { container: string; entry: XmlElement; isNew: boolean },
): Promise<void> {
  const blob = blobOf(container, entry);
  if (!isNew && (await isPresent(context, blob))) return context.report.skip();
  switch (blob.type) {
    case "BlockBlob":
      await copyBlockBlob(context, blob);
      break;
    case "AppendBlob":
      await copyAppendBlob(context, blob);
      break;
    case "PageBlob":
      await copyPageBlob(context, blob);
      break;
    default:
      throw new Error(`it is a ${blob.type}`);
  }
  context.report.add(blob.length);
}

/** Whether the target has it, written after the source: the same as far as both sides show. */
async function isPresent({ target }: CopyContext, blob: Blob): Promise<boolean> {
  const { path, type, length, metadata, headers, properties } = blob;
  const reply = await target.send({ method: "HEAD", service: "blob", path, accepts: [404] });
  if (reply.status === 404) return false;
  const there = reply.headers;
  return (
    there["x-ms-blob-type"] === type &&
    Number(there["content-length"]) === length &&
    (there["content-md5"] ?? "") === (headers["x-ms-blob-content-md5"] ?? "") &&
    isSameMetadata(metadata, reply) &&
    timeOf(there["last-modified"]) >= timeOf(properties.textOf("Last-Modified"))
  );
}

export function isSameMetadata(metadata: Readonly<Record<string, string>>, reply: StorageReply): boolean {
  const print = (values: Readonly<Record<string, string>>): string =>
    Object.entries(values)
      .map(([name, value]) => `${name.toLowerCase()}=${value}`)
      .sort()
      .join("\n");
  return print(metadata) === print(metadataOf(reply));
}

function timeOf(text: string | undefined): number {
  return parseHttpDate(text ?? "") ?? 0;
}

/** Reads part after part and passes each on, several at a time, with few in memory. */
async function copyParts(
  { source, parts }: CopyContext,
  { path, etag }: Blob,
  spans: readonly { readonly start: number; readonly length: number }[],
  write: (body: Buffer, start: number, index: number) => Promise<unknown>,
): Promise<void> {
  const copyPart = async ({ start, length }: (typeof spans)[number], index: number): Promise<void> => {
    const headers = { "x-ms-range": `bytes=${start}-${start + length - 1}`, "if-match": etag };
    const { body } = await source.send({ method: "GET", service: "blob", path, headers });
    if (body.length !== length) throw new Error(`${body.length} of ${length} bytes arrived`);
    await write(body, start, index);
  };
  // Settled, not all: no part may still run when the blob has failed and the next one begins.
  const results = await Promise.allSettled(spans.map((span, i) => parts.run(() => copyPart(span, i))));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

function spansOf(length: number, size: number, from = 0): { start: number; length: number }[] {
  const spans = [];
  for (let start = 0; start < length; start += size)
    spans.push({ start: from + start, length: Math.min(size, length - start) });
  return spans;
}

async function copyBlockBlob(context: CopyContext, blob: Blob): Promise<void> {
  const { target } = context;
  const { path, length, headers } = blob;
  const put = { method: "PUT", service: "blob", path } as const;
  // Put Blob computes an MD5 where there is none; a list of blocks leaves it out, as the source does.
  if (length <= COPY_LIMITS.partBytes && headers["x-ms-blob-content-md5"] !== undefined) {
    const whole = async (body: Buffer | undefined): Promise<void> => {
      await target.send({ ...put, headers: { ...headers, "x-ms-blob-type": "BlockBlob" }, body });
    };
    if (length === 0) return whole(undefined);
    return copyParts(context, blob, [{ start: 0, length }], whole);
  }
  const partBytes = Math.max(COPY_LIMITS.partBytes, Math.ceil(length / COPY_LIMITS.blocksMax / MIB) * MIB);
  const spans = spansOf(length, partBytes);
  const idOf = (index: number): string => Buffer.from(String(index).padStart(8, "0")).toString("base64");
  await copyParts(context, blob, spans, (body, _, index) =>
    target.send({ ...put, query: { comp: "block", blockid: idOf(index) }, body }),
  );
  const list = spans.map((_, index) => textElement("Uncommitted", idOf(index))).join("");
  const body = printXml(element("BlockList", list));
  const type = { "content-type": "application/xml" };
  await target.send({ ...put, query: { comp: "blocklist" }, headers: { ...headers, ...type }, body });
}

async function copyAppendBlob(context: CopyContext, blob: Blob): Promise<void> {
  const { target } = context;
  const { path, length, headers, properties } = blob;
  const put = { method: "PUT", service: "blob", path } as const;
  const created = { ...headers, ...metadataHeaders(UNFINISHED), "x-ms-access-tier": undefined };
  await target.send({ ...put, headers: { ...created, "x-ms-blob-type": "AppendBlob" } });
  for (const span of spansOf(length, COPY_LIMITS.writeBytes)) {
    await copyParts(context, blob, [span], (body, start) => {
      // An append that was sent twice would be there twice.
      const position = { "x-ms-blob-condition-appendpos": String(start) };
      return target.send({ ...put, query: { comp: "appendblock" }, headers: position, body });
    });
  }
  await finish(context, blob);
  if (properties.textOf("Sealed") === "true") await target.send({ ...put, query: { comp: "seal" } });
}

async function copyPageBlob(context: CopyContext, blob: Blob): Promise<void> {
  const { source, target } = context;
  const { path, length, headers, properties, etag } = blob;
  const put = { method: "PUT", service: "blob", path } as const;
  await target.send({
    ...put,
    headers: {
      ...headers,
      ...metadataHeaders(UNFINISHED),
      "x-ms-blob-type": "PageBlob",
      "x-ms-blob-content-length": String(length),
      "x-ms-blob-sequence-number": properties.textOf("x-ms-blob-sequence-number"),
    },
  });
  const query = { comp: "pagelist" };
  const ranges = await source.send({
    method: "GET",
    service: "blob",
    path,
    query,
    headers: { "if-match": etag },
  });
  const spans = parseXml(withoutBom(ranges.body))
    .all("PageRange")
    .map((range) => [Number(range.textOf("Start")), Number(range.textOf("End"))] as const)
    .flatMap(([start, end]) => spansOf(end + 1 - start, COPY_LIMITS.writeBytes, start));
  await copyParts(context, blob, spans, (body, start) =>
    target.send({
      ...put,
      query: { comp: "page" },
      headers: { "x-ms-page-write": "update", "x-ms-range": `bytes=${start}-${start + body.length - 1}` },
      body,
    }),
  );
  await finish(context, blob);
}

/** Replaces the metadata of an unfinished copy by that of the source. */
async function finish({ target }: CopyContext, { path, metadata }: Blob): Promise<void> {
  const headers = metadataHeaders(metadata);
  await target.send({ method: "PUT", service: "blob", path, query: { comp: "metadata" }, headers });
}
