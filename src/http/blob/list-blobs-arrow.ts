import type { CooperativeScheduler } from "../../base/yield-to-event-loop.ts";
import {
  type ArrowField,
  type ArrowType,
  type ArrowValue,
  openArrowStream,
} from "../../services/blob/query/arrow-stream.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { PrintedPage } from "../wire/printed-page.ts";
import { parseXmlCooperatively, type XmlElement } from "../wire/xml.ts";

/**
 * List Blobs as an Arrow stream: a row for each entry, a column for each element of its XML. The rows come
 * from the printed page, so both forms say the same. The marker is in the metadata of the schema.
 */
const SINCE = "2026-10-06";
const ARROW_STREAM = "application/vnd.apache.arrow.stream";

export function wantsArrow({ headers, version }: HttpRequest): boolean {
  const types = headers.accept?.toLowerCase().split(",") ?? [];
  return version >= SINCE && types.some((type) => type.split(";", 1)[0]!.trim() === ARROW_STREAM);
}

const COLUMNS: Readonly<Record<Exclude<ArrowType, "double" | "decimal" | "map">, readonly string[]>> = {
  string: [
    "ResourceType",
    "Name",
    "Snapshot",
    "VersionId",
    "Etag",
    "Content-Type",
    "Content-Encoding",
    "Content-Language",
    "Content-MD5",
    "Cache-Control",
    "Content-Disposition",
    "BlobType",
    "AccessTier",
    "SmartAccessTier",
    "ArchiveStatus",
    "RehydratePriority",
    "LeaseStatus",
    "LeaseState",
    "LeaseDuration",
    "CopyId",
    "CopyStatus",
    "CopySource",
    "CopyProgress",
    "CopyStatusDescription",
    "CopyDestinationSnapshot",
    "CustomerProvidedKeySha256",
    "EncryptionScope",
    "ImmutabilityPolicyMode",
  ],
  "timestamp[ms]": [
    "Creation-Time",
    "Last-Modified",
    "Expiry-Time",
    "LastAccessTime",
    "AccessTierChangeTime",
    "CopyCompletionTime",
    "DeletedTime",
    "ImmutabilityPolicyUntilDate",
  ],
  int64: ["Content-Length", "x-ms-blob-sequence-number", "RemainingRetentionDays", "TagCount"],
  bool: [
    "IsCurrentVersion",
    "Deleted",
    "HasVersionsOnly",
    "AccessTierInferred",
    "ServerEncrypted",
    "IncrementalCopy",
    "Sealed",
    "LegalHold",
  ],
};
const FIELDS: readonly ArrowField[] = Object.entries(COLUMNS).flatMap(([type, names]) =>
  names.map((name) => ({ name, type: type as ArrowType })),
);
const ROWS_PER_BATCH = 500;

export async function arrowReply(
  page: Pick<PrintedPage<unknown>, "chunks" | "text">,
  {
    include,
    nextMarker,
    scheduler,
  }: {
    readonly include: ReadonlySet<string>;
    readonly nextMarker: string;
    readonly scheduler: CooperativeScheduler;
  },
): Promise<HttpReply> {
  const yieldToEventLoop = (): Promise<void> => scheduler.yieldToEventLoop();
  const xml = Buffer.concat([Buffer.from("<Blobs>"), ...page.chunks, Buffer.from(`${page.text}</Blobs>`)]);
  const { children } = await parseXmlCooperatively(xml, { yieldToEventLoop, textCharsMax: xml.length });
  const maps = ["Metadata", "Tags"].filter((name) => include.has(name.toLowerCase()));
  const fields = [...FIELDS, ...maps.map((name) => ({ name, type: "map" as const }))];
  const stream = await openArrowStream(fields, nextMarker === "" ? {} : { NextMarker: nextMarker });
  const body: Buffer[] = [];
  for (let from = 0; from === 0 || from < children.length; from += ROWS_PER_BATCH) {
    if (from > 0) await yieldToEventLoop();
    for (const entry of children.slice(from, from + ROWS_PER_BATCH)) {
      stream.append(fields.map((field) => cellOf(entry, field)));
    }
    body.push(stream.flush());
  }
  return { status: 200, headers: { "Content-Type": ARROW_STREAM }, body };
}

function cellOf(entry: XmlElement, { name, type }: ArrowField): ArrowValue {
  if (name === "ResourceType") return entry.name.toLowerCase();
  const found = entry.child(name) ?? entry.child("Properties")?.child(name);
  if (found === undefined) return null;
  if (type === "map") return mapOf(found);
  const { text } = found;
  if (text === "") return null;
  switch (type) {
    case "timestamp[ms]":
      return Date.parse(text);
    case "int64":
      return BigInt(text);
    case "bool":
      return text === "true";
    default:
      return found.attributes?.get("Encoded") === "true" ? decodeURIComponent(text) : text;
  }
}

/** Elements named by their keys, or those of tags. */
function mapOf({ children }: XmlElement): ReadonlyMap<string, string> {
  const isTags = children[0]?.name === "TagSet";
  if (!isTags) return new Map(children.map(({ name, text }) => [name, text]));
  const tags = children[0]!.children;
  return new Map(tags.map((tag) => [tag.textOf("Key") ?? "", tag.textOf("Value") ?? ""]));
}
