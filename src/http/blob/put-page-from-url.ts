import { collect } from "../../base/bytes.ts";
import { badHeader } from "../../base/refusals.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { checkPageTarget, putPage } from "../../services/blob/put-page.ts";
import { requireHeader } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { checkPageWriteLength, pageHeaders, readPageWrite } from "./put-page.ts";
import type { BlobServices } from "./services.ts";
import { digestsOfPart, openSourceBody, sourceDigests } from "./source-body.ts";

/** PUT ?comp=page with x-ms-copy-source */
export async function handlePutPageFromUrl(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  const { headers } = request;
  const action = requireHeader(headers, "x-ms-page-write");
  if (action.toLowerCase() !== "update") throw badHeader("x-ms-page-write", action);
  const range = requireHeader(headers, "x-ms-source-range");
  const write = readPageWrite(request);
  checkPageWriteLength(write.span);
  const bytesMax = BLOB_LIMITS.pageWriteBytesMax;
  const checkTarget = () => checkPageTarget(services.blobs, write);
  const options = { use: "partFromUrl", bytesMax, checkTarget, ...digestsOfPart(write.encryption) } as const;
  const source = await openSourceBody(request, services, options);
  try {
    const isFitting = source.length === undefined || source.length === write.span.length;
    if (!isFitting) throw badHeader("x-ms-source-range", range);
    const body = await collect(source.body);
    if (body.length !== write.span.length) throw badHeader("x-ms-source-range", range);
    const written = await putPage(services.blobs, write, body);
    return { status: 201, headers: pageHeaders(request, written, sourceDigests(request, source)) };
  } finally {
    source.close();
  }
}
