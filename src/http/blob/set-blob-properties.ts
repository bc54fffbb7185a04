import { badHeader } from "../../base/refusals.ts";
import { setBlobProperties } from "../../services/blob/set-blob-properties.ts";
import { type SequenceAction, setPageBlobProperties } from "../../services/blob/set-page-blob-properties.ts";
import { missingHeader } from "../common/read-headers.ts";
import { stamp } from "../common/replies.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { readPageBlobLength, readSequenceNumber } from "./put-page-blob.ts";
import { IF_ALL } from "./read-conditions.ts";
import { readBlobGuards, readBlobRef, readNewHttpHeaders, refuseVersionOrSnapshot } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

/** PUT ?comp=properties */
export async function handleSetBlobProperties(
  request: HttpRequest,
  services: BlobServices,
): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  if (isPageChange(request.headers)) return handleSetPageBlobProperties(request, services);
  const { record } = await setBlobProperties(services.blobs, {
    ref: readBlobRef(request),
    ...readBlobGuards(request, IF_ALL),
    http: readNewHttpHeaders(request.headers),
  });
  const sequence = record.kind === "page" ? String(record.sequenceNumber ?? 0n) : undefined;
  return { status: 200, headers: { ...stamp(record.revision), "x-ms-blob-sequence-number": sequence } };
}

const HTTP_HEADERS = [
  "x-ms-blob-content-type",
  "x-ms-blob-content-encoding",
  "x-ms-blob-content-language",
  "x-ms-blob-content-md5",
  "x-ms-blob-content-disposition",
  "x-ms-blob-cache-control",
];

/** Whether the request changes what only a page blob has: its length, its sequence number. */
function isPageChange(headers: Headers): boolean {
  return (
    headers["x-ms-blob-content-length"] !== undefined ||
    headers["x-ms-sequence-number-action"] !== undefined ||
    headers["x-ms-blob-sequence-number"] !== undefined
  );
}

async function handleSetPageBlobProperties(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  const { headers } = request;
  const { record } = await setPageBlobProperties(blobs, {
    ref: readBlobRef(request),
    ...readBlobGuards(request, IF_ALL),
    // The six change together, and only if the request has one of them: a resize leaves them alone.
    http: HTTP_HEADERS.some((name) => headers[name] !== undefined) ? readNewHttpHeaders(headers) : undefined,
    length: headers["x-ms-blob-content-length"] === undefined ? undefined : readPageBlobLength(headers),
    sequence: readSequenceAction(headers),
  });
  return {
    status: 200,
    headers: { ...stamp(record.revision), "x-ms-blob-sequence-number": String(record.sequenceNumber ?? 0n) },
  };
}

function readSequenceAction(headers: Headers): SequenceAction | undefined {
  const name = "x-ms-blob-sequence-number";
  const action = headers["x-ms-sequence-number-action"]?.toLowerCase();
  const number = readSequenceNumber(headers, name);
  switch (action) {
    case undefined:
      if (number !== undefined) throw missingHeader("x-ms-sequence-number-action");
      return undefined;
    case "increment":
      if (number !== undefined) throw badHeader(name, String(number));
      return { action };
    case "max":
    case "update":
      if (number === undefined) throw missingHeader(name);
      return { action, number };
    default:
      throw badHeader("x-ms-sequence-number-action", action);
  }
}
