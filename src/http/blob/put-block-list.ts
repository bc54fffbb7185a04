import { KIB } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { CooperativeScheduler } from "../../base/yield-to-event-loop.ts";
import { freeIfAlone } from "../../memory/free-now.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import type { BlockSource, ListedBlock } from "../../services/blob/prepare-block-list.ts";
import { putBlockList } from "../../services/blob/put-block-list.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { parseXmlCooperatively } from "../wire/xml.ts";
import { blockIdBytes } from "./put-block.ts";
import { IF_ALL } from "./read-conditions.ts";
import { readBlobRef, readCreateGuards, readProperties, refuseVersionOrSnapshot } from "./read-request.ts";
import { digestHeaders, writtenHeaders } from "./replies.ts";
import type { BlobServices } from "./services.ts";

/** PUT ?comp=blocklist */
export async function handlePutBlockList(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const guards = readCreateGuards(request, IF_ALL);
  const properties = readProperties(request, false);
  const { blocks, digests } = await readBlockList(request);
  const written = await putBlockList(blobs, { ref: readBlobRef(request), ...guards, blocks, properties });
  return { status: 201, headers: { ...writtenHeaders(written), ...digests } };
}

const SOURCES: Readonly<Record<string, BlockSource>> = {
  Committed: "committed",
  Uncommitted: "uncommitted",
  Latest: "latest",
};

const LESS = 0x3c;

const SLASH = 0x2f;

/** A long list is parsed in slices; between two of them the event loop runs. */
const BYTES_PER_SLICE = 512 * KIB;

const BLOCKS_PER_SLICE = 4_000;

/** An id in which every character is a character reference, with white space around it. */
const ID_TEXT_CHARS_MAX = 4 * KIB;

const scheduler = new CooperativeScheduler(BLOB_LIMITS.listRestMillis);

/** Whether there are more end tags than a list may have; checked before the XML tree is built. */
async function isTooLong(body: Buffer): Promise<boolean> {
  let count = 0;
  for (let at = 0; at < body.length - 1; at++) {
    if (at % BYTES_PER_SLICE === BYTES_PER_SLICE - 1) await scheduler.yieldToEventLoop();
    // One of the tags closes the list itself.
    if (body[at] === LESS && body[at + 1] === SLASH && ++count > BLOB_LIMITS.committedBlocksMax + 1)
      return true;
  }
  return false;
}

/** A list may have megabytes: its memory is freed at once, since a client can send many of them. */
async function readBlockList(request: HttpRequest) {
  const body = await request.body.read(BLOB_LIMITS.blockListBytesMax);
  try {
    const blocks = await parseBlockList(body);
    return { blocks, digests: digestHeaders(request, body) };
  } finally {
    freeIfAlone(body);
  }
}

async function parseBlockList(body: Buffer): Promise<ListedBlock[]> {
  if (await isTooLong(body)) throw new Refusal("BlockListTooLong");
  const root = await parseXmlCooperatively(body, {
    yieldToEventLoop: () => scheduler.yieldToEventLoop(),
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
