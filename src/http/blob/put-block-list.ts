import { KIB } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { CooperativeScheduler } from "../../base/yield-to-event-loop.ts";
import { freeIfAlone } from "../../memory/free-now.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { type BlockSource, type ListedBlock, putBlockList } from "../../services/blob/put-block-list.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { checkBytes } from "../wire/digest.ts";
import { parseXmlCooperatively } from "../wire/xml.ts";
import { readCreateGuards, readProperties, refuseVersionOrSnapshot } from "./blob-headers.ts";
import { blockIdBytes } from "./put-block.ts";
import { IF_ALL, readBlobRef } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { digestHeaders, writtenHeaders } from "./written-headers.ts";

/** PUT ?comp=blocklist */
export async function handlePutBlockList(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const guards = readCreateGuards(request, IF_ALL);
  const properties = readProperties(request, false);
  const body = await request.body.read(BLOB_LIMITS.blockListBytesMax);
  const { blocks, crc64 } = await readBlockList(body, request.headers["content-md5"] === undefined);
  const written = await putBlockList(blobs, { ref: readBlobRef(request), ...guards, blocks, properties });
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

const scheduler = new CooperativeScheduler(BLOB_LIMITS.listRestMillis);

/** Whether there are more end tags than a list may have: told before a tree is made of them. */
async function isTooLong(body: Buffer): Promise<boolean> {
  let count = 0;
  for (let at = 0; at < body.length - 1; at++) {
    if (at % BYTES_PER_SLICE === BYTES_PER_SLICE - 1) await scheduler.yieldToEventLoop();
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
    giveWay: () => scheduler.yieldToEventLoop(),
    textCharsMax: ID_TEXT_CHARS_MAX,
  });
  if (root.name !== "BlockList") throw new Refusal("InvalidXmlDocument");
  if (root.children.length > BLOB_LIMITS.committedBlocksMax) throw new Refusal("BlockListTooLong");
  const blocks: ListedBlock[] = [];
  for (const { name, text } of root.children) {
    if (blocks.length % BLOCKS_PER_SLICE === BLOCKS_PER_SLICE - 1) await scheduler.yieldToEventLoop();
    const from = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
    if (from === undefined) throw new Refusal("UnsupportedXmlNode", { elements: { XmlNodeName: name } });
    const id = text.trim();
    if (blockIdBytes(id) === undefined) throw new Refusal("InvalidBlockId");
    blocks.push({ id, from });
  }
  return blocks;
}
