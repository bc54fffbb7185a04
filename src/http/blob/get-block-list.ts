import { badQuery } from "../../base/refusals.ts";
import { getBlockList, type NamedBlock } from "../../services/blob/get-block-list.ts";
import { readLeaseId } from "../common/read-headers.ts";
import { stamp, XML } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { bodyOf, PrintedPage } from "../wire/printed-page.ts";
import { BOM, textElement, XML_DECLARATION } from "../wire/xml-print.ts";
import { IF_TAGS, readSingleConditions } from "./read-conditions.ts";
import { checkTagPermission, readBlobRef, readSelector } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

const LIST_TYPES = ["committed", "uncommitted", "all"] as const;

/** GET ?comp=blocklist */
export async function handleGetBlockList(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  checkTagPermission(request);
  const type = request.query.get("blocklisttype")?.toLowerCase() ?? "committed";
  const listed = LIST_TYPES.find((name) => name === type);
  if (listed === undefined) throw badQuery("blocklisttype", type, "There is no such list.");
  // Anonymous callers see the committed blocks only.
  const listType = request.caller.kind === "anonymous" ? "committed" : listed;
  const { record, committed, uncommitted } = await getBlockList(blobs, {
    ref: readBlobRef(request),
    selector: readSelector(request.query),
    conditions: readSingleConditions(request.headers, IF_TAGS),
    leaseId: readLeaseId(request.headers),
    listType,
    newPage: () => new PrintedPage(printBlock, UNLIMITED),
  });
  const body = bodyOf(
    `${BOM}${XML_DECLARATION}<BlockList>`,
    ...(listType === "uncommitted" ? [] : blocksElement("CommittedBlocks", committed)),
    ...(listType === "committed" ? [] : blocksElement("UncommittedBlocks", uncommitted)),
    "</BlockList>",
  );
  const headers = {
    ...XML,
    // Of a blob of uncommitted blocks only, nothing else is known.
    ...(record === undefined
      ? {}
      : { ...stamp(record.revision), "x-ms-blob-content-length": String(record.length) }),
  };
  return { status: 200, headers, body };
}

/** The protocol has no pages here: up to 50,000 committed and 100,000 uncommitted blocks in one reply. */
const UNLIMITED = { countMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY };

function printBlock({ id, length }: NamedBlock): string {
  return `<Block>${textElement("Name", id)}<Size>${length}</Size></Block>`;
}

function blocksElement(name: string, blocks: PrintedPage<NamedBlock>): (string | PrintedPage<NamedBlock>)[] {
  return blocks.count === 0 ? [`<${name} />`] : [`<${name}>`, blocks, `</${name}>`];
}
