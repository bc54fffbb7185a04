import { KIB, MIB } from "../../base/limits.ts";
import { badHeader, badQuery, Refusal } from "../../base/refusals.ts";
import { instantOf } from "../../base/revision.ts";
import { CooperativeScheduler } from "../../base/yield-to-event-loop.ts";
import { quotedEtag } from "../../concurrency/etag.ts";
import { freeIfAlone } from "../../memory/free-now.ts";
import { getBlockList as getList, type NamedBlock } from "../../services/blob/get-block-list.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import type { Written } from "../../services/blob/put-blob.ts";
import { putBlock as put } from "../../services/blob/put-block.ts";
import {
  type BlockSource,
  type ListedBlock,
  putBlockList as putList,
} from "../../services/blob/put-block-list.ts";
import { mayOverwrite } from "../auth/caller.ts";
import type { Headers, HttpReply, HttpRequest, ReplyHeaders } from "../exchange.ts";
import { printHttpDate } from "../wire/dates.ts";
import { checkBytes } from "../wire/digest.ts";
import { bodyOf, PrintedPage } from "../wire/printed-page.ts";
import { STRUCTURED_BODY } from "../wire/structured-body.ts";
import { parseXmlCooperatively } from "../wire/xml.ts";
import { BOM, textElement, XML_DECLARATION } from "../wire/xml-print.ts";
import {
  checkTagPermission,
  readCreateGuards,
  readEncryption,
  readProperties,
  readSelector,
  refuseVersionOrSnapshot,
} from "./blob-headers.ts";
import { bytesMaxFor, checkBodyLength, writtenHeaders } from "./put-blob.ts";
import {
  IF_ALL,
  IF_TAGS,
  readBlobRef,
  readLeaseId,
  readSingleConditions,
  readWriteConditions,
} from "./read-request.ts";
import { stamp, XML } from "./replies.ts";
import { type BlobRow, type BlobServices, onBlob, row } from "./rows.ts";

/** Blocks of a block blob: put them, list them, make a blob of them. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The bytes in a block id; undefined when it is none. */
export function blockIdBytes(id: string): number | undefined {
  if (id === "" || id.length > 4 * Math.ceil(BLOB_LIMITS.blockIdBytesMax / 3) || !BASE64.test(id))
    return undefined;
  const bytes = Buffer.byteLength(id, "base64");
  return bytes <= BLOB_LIMITS.blockIdBytesMax ? bytes : undefined;
}

export function readBlockId({ query }: HttpRequest): {
  readonly blockId: string;
  readonly blockIdBytes: number;
} {
  const id = query.get("blockid");
  if (id === undefined) {
    throw badQuery("blockid", "", "A block needs an id.", "MissingRequiredQueryParameter");
  }
  const bytes = blockIdBytes(id);
  if (bytes !== undefined) return { blockId: id, blockIdBytes: bytes };
  // An id that is only too long is a value out of range; anything else is not an id.
  if (id !== "" && BASE64.test(id)) throw new Refusal("OutOfRangeInput");
  throw badQuery("blockid", id, "Not a block id.", "InvalidQueryParameterValue");
}

const PUT_BLOCK_SIZES = { since2019: BLOB_LIMITS.putBlockBytesMax, since2016: 100 * MIB, before: 4 * MIB };
/** Read at once; anything longer streams. */
const WHOLE_BYTES_MAX = 64 * KIB;

/** PUT ?comp=block */
async function putBlock(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { body, headers } = request;
  refuseVersionOrSnapshot(request.query);
  checkBodyLength(request, bytesMaxFor(request.version, PUT_BLOCK_SIZES));
  if (body.length === 0) throw badHeader("Content-Length", "0");
  readWriteConditions(headers, []);
  const common = {
    ref: readBlobRef(request),
    leaseId: readLeaseId(headers),
    ...readBlockId(request),
    encryption: readEncryption(request),
    length: body.length,
    mayOverwrite: mayOverwrite(request.caller),
  };
  const wantsCrc64 = headers["content-md5"] === undefined;
  if (body.length !== undefined && body.length <= WHOLE_BYTES_MAX) {
    const bytes = await body.read(WHOLE_BYTES_MAX);
    await put(blobs, { ...common, body: bytes });
    return blockReply(request, checkBytes(bytes, { declared: {}, wantsCrc64 }).crc64);
  }
  const stream = body.stream({ crc64: wantsCrc64 });
  await put(blobs, { ...common, body: stream });
  return blockReply(request, stream.crc64);
}

function blockReply(request: HttpRequest, crc64: string | undefined): HttpReply {
  const { headers } = request;
  const { keySha256, scope } = readEncryption(request);
  const out: ReplyHeaders = {
    ...digestHeaders(request, crc64),
    "x-ms-request-server-encrypted": "true",
    "x-ms-encryption-key-sha256": keySha256,
    "x-ms-encryption-scope": scope,
    "x-ms-structured-body": headers["x-ms-structured-body"] === undefined ? undefined : STRUCTURED_BODY,
  };
  return { status: 201, headers: out };
}

/** The digest the client sent, or the CRC64 of what arrived. */
export function digestHeaders({ headers }: HttpRequest, crc64: string | undefined): ReplyHeaders {
  const md5 = headers["content-md5"];
  return md5 === undefined ? { "x-ms-content-crc64": crc64 } : { "Content-MD5": md5 };
}

/** What the answer to a write of a part of a blob says: no version, but a digest. */
export function partWrittenHeaders(
  written: Written,
  digests: ReplyHeaders,
  headers: Headers,
): Record<string, string | undefined> {
  const out: Record<string, string | undefined> = {
    ETag: quotedEtag(written.revision),
    "Last-Modified": printHttpDate(instantOf(written.revision)),
    "x-ms-request-server-encrypted": "true",
    "x-ms-content-crc64": digests["x-ms-content-crc64"] as string | undefined,
    "Content-MD5": digests["Content-MD5"] as string | undefined,
  };
  if (written.keySha256 !== undefined) out["x-ms-encryption-key-sha256"] = written.keySha256;
  if (written.encryptionScope !== undefined) out["x-ms-encryption-scope"] = written.encryptionScope;
  if (headers["x-ms-structured-body"] !== undefined) out["x-ms-structured-body"] = STRUCTURED_BODY;
  return out;
}

/** PUT ?comp=blocklist */
async function putBlockList(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const guards = readCreateGuards(request, IF_ALL);
  const properties = readProperties(request, false);
  const body = await request.body.read(BLOB_LIMITS.blockListBytesMax);
  const { blocks, crc64 } = await readBlockList(body, request.headers["content-md5"] === undefined);
  const written = await putList(blobs, { ref: readBlobRef(request), ...guards, blocks, properties });
  return { status: 201, headers: { ...writtenHeaders(written), ...digestHeaders(request, crc64) } };
}

const SOURCES: Readonly<Record<string, BlockSource>> = {
  Committed: "committed",
  Uncommitted: "uncommitted",
  Latest: "latest",
};

const LESS = 0x3c;
const SLASH = 0x2f;
/** Reading a long list: so much of it, and then others have their turn. */
const BYTES_PER_SLICE = 512 * KIB;
const BLOCKS_PER_SLICE = 4_000;
/** An id in which every character is a reference, and the white space of a patient printer around it. */
const ID_TEXT_CHARS_MAX = 4 * KIB;
const turns = new CooperativeScheduler(BLOB_LIMITS.listRestMillis);

/** Whether there are more end tags than a list may have: told before a tree is made of them. */
async function isTooLong(body: Buffer): Promise<boolean> {
  let count = 0;
  for (let at = 0; at < body.length - 1; at++) {
    if (at % BYTES_PER_SLICE === BYTES_PER_SLICE - 1) await turns.yieldToEventLoop();
    // One of them ends the list itself.
    if (body[at] === LESS && body[at + 1] === SLASH && ++count > BLOB_LIMITS.committedBlocksMax + 1)
      return true;
  }
  return false;
}

/** A list may be megabytes long, and many of them may be refused one after another: its memory is free at once. */
async function readBlockList(body: Buffer, wantsCrc64: boolean) {
  try {
    const blocks = await parseBlockList(body);
    return { blocks, crc64: checkBytes(body, { declared: {}, wantsCrc64 }).crc64 };
  } finally {
    freeIfAlone(body);
  }
}

async function parseBlockList(body: Buffer): Promise<ListedBlock[]> {
  if (await isTooLong(body)) throw new Refusal("BlockListTooLong");
  const root = await parseXmlCooperatively(body, {
    giveWay: () => turns.yieldToEventLoop(),
    textCharsMax: ID_TEXT_CHARS_MAX,
  });
  if (root.name !== "BlockList") throw new Refusal("InvalidXmlDocument");
  if (root.children.length > BLOB_LIMITS.committedBlocksMax) throw new Refusal("BlockListTooLong");
  const blocks: ListedBlock[] = [];
  for (const { name, text } of root.children) {
    if (blocks.length % BLOCKS_PER_SLICE === BLOCKS_PER_SLICE - 1) await turns.yieldToEventLoop();
    const from = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
    if (from === undefined) throw new Refusal("UnsupportedXmlNode", { elements: { XmlNodeName: name } });
    const id = text.trim();
    if (blockIdBytes(id) === undefined) throw new Refusal("InvalidBlockId");
    blocks.push({ id, from });
  }
  return blocks;
}

const LIST_TYPES = ["committed", "uncommitted", "all"] as const;

/** GET ?comp=blocklist */
async function getBlockList(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  checkTagPermission(request);
  const type = request.query.get("blocklisttype")?.toLowerCase() ?? "committed";
  const asked = LIST_TYPES.find((known) => known === type);
  if (asked === undefined) throw badQuery("blocklisttype", type, "There is no such list.");
  // To strangers a public blob shows what was committed.
  const wants = request.caller.kind === "anonymous" ? "committed" : asked;
  const { record, committed, uncommitted } = await getList(blobs, {
    ref: readBlobRef(request),
    selector: readSelector(request.query),
    conditions: readSingleConditions(request.headers, IF_TAGS),
    leaseId: readLeaseId(request.headers),
    wants,
    newPage: () => new PrintedPage(printBlock, UNLIMITED),
  });
  const body = bodyOf(
    `${BOM}${XML_DECLARATION}<BlockList>`,
    ...(wants === "uncommitted" ? [] : blocksElement("CommittedBlocks", committed)),
    ...(wants === "committed" ? [] : blocksElement("UncommittedBlocks", uncommitted)),
    "</BlockList>",
  );
  const headers = {
    ...XML,
    ...(record === undefined ? {} : stamp(record.revision)),
    "x-ms-blob-content-length": String(record?.length ?? 0),
  };
  return { status: 200, headers, body };
}

/** The protocol gives these lists whole, to every version: 50,000 blocks and 100,000 uncommitted ones at most. */
const UNLIMITED = { countMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY };

function printBlock({ id, length }: NamedBlock): string {
  return `<Block>${textElement("Name", id)}<Size>${length}</Size></Block>`;
}

function blocksElement(name: string, blocks: PrintedPage<NamedBlock>): (string | PrintedPage<NamedBlock>)[] {
  return blocks.count === 0 ? [`<${name} />`] : [`<${name}>`, blocks, `</${name}>`];
}

const common = { resource: "blob", lease: "checked" } as const;

export const BLOCK_ROWS: readonly BlobRow[] = [
  row({
    ...common,
    name: "PutBlock",
    method: "PUT",
    query: { comp: "block" },
    permission: onBlob(["w", "c"]),
    body: "stream",
    bodyBytesMax: BLOB_LIMITS.putBlockBytesMax,
    ok: [201],
    handle: putBlock,
  }),
  row({
    ...common,
    name: "PutBlockList",
    method: "PUT",
    query: { comp: "blocklist" },
    permission: onBlob(["w", "c"]),
    returnsEtag: true,
    conditions: IF_ALL,
    body: "xml",
    bodyBytesMax: BLOB_LIMITS.blockListBytesMax,
    ok: [201],
    handle: putBlockList,
  }),
  row({
    ...common,
    name: "GetBlockList",
    method: "GET",
    query: { comp: "blocklist" },
    permission: { ...onBlob(["r"]), anonymous: "blob" },
    returnsEtag: true,
    conditions: IF_TAGS,
    replyBytesMax: BLOB_LIMITS.blockListBytesMax,
    handle: getBlockList,
  }),
];
