import { badQuery } from "../../base/refusals.ts";
import { getBlockList, type NamedBlock } from "../../services/blob/get-block-list.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { bodyOf, PrintedPage } from "../wire/printed-page.ts";
import { BOM, textElement, XML_DECLARATION } from "../wire/xml-print.ts";
import { checkTagPermission, readSelector } from "./blob-headers.ts";
import { IF_TAGS, readBlobRef, readLeaseId, readSingleConditions } from "./read-request.ts";
import { stamp, XML } from "./replies.ts";
import type { BlobServices } from "./services.ts";

const LIST_TYPES = ["committed", "uncommitted", "all"] as const;

/** GET ?comp=blocklist */
export async function handleGetBlockList(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  checkTagPermission(request);
  const type = request.query.get("blocklisttype")?.toLowerCase() ?? "committed";
  const asked = LIST_TYPES.find((known) => known === type);
  if (asked === undefined) throw badQuery("blocklisttype", type, "There is no such list.");
  // To strangers a public blob shows what was committed.
  const wants = request.caller.kind === "anonymous" ? "committed" : asked;
  const { record, committed, uncommitted } = await getBlockList(blobs, {
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
