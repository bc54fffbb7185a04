import { Refusal } from "../../base/refusals.ts";
import { type ListedQueue, listQueues } from "../../services/queue/list-queues.ts";
import { listReply } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printListParams, readListParams } from "../wire/list-params.ts";
import { printMetadataXml } from "../wire/metadata.ts";
import { PrintedPage } from "../wire/printed-page.ts";
import { element, textElement } from "../wire/xml-print.ts";
import type { QueueServices } from "./services.ts";

/** GET /?comp=list */
export async function handleListQueues(request: HttpRequest, { queues }: QueueServices): Promise<HttpReply> {
  const { account } = request.target;
  const params = readListParams(request.query, { include: ["metadata"] });
  const { prefix, maxResults, marker } = params;
  const from = marker === undefined ? undefined : parseMarker(account, marker);
  const withMetadata = params.include.has("metadata");
  const print = ({ name, metadata }: ListedQueue): string =>
    element("Queue", textElement("Name", name) + (withMetadata ? printMetadataXml(metadata) : ""));
  const newPage = () => new PrintedPage(print, { countMax: maxResults });
  const { page, next } = await listQueues(queues, { account, prefix, from, maxResults, newPage });
  return listReply(request, {
    head: printListParams(params),
    name: "Queues",
    page,
    nextMarker: next === undefined ? "" : printMarker(account, next),
  });
}

/** The first name of the next page, as the protocol writes it: `/account/queue`. */
function printMarker(account: string, name: string): string {
  return `/${account}/${name}`;
}

const MARKER_NAME = /^[a-z0-9-]{1,63}$/;

function parseMarker(account: string, marker: string): string {
  const start = printMarker(account, "");
  const name = marker.slice(start.length);
  if (!marker.startsWith(start) || !MARKER_NAME.test(name)) throw new Refusal("OutOfRangeInput");
  return name;
}
