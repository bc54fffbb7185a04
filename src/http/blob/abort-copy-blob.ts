import { badHeader, badQuery } from "../../base/refusals.ts";
import { abortCopyBlob } from "../../services/blob/abort-copy-blob.ts";
import { guidOf, readLeaseId } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readBlobRef } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

/** PUT ?comp=copy&copyid= */
export async function handleAbortCopyBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers, query } = request;
  const text = query.get("copyid") ?? "";
  if (text === "") {
    throw badQuery("copyid", "", "The id of the copy is expected.", "MissingRequiredQueryParameter");
  }
  const copyId = guidOf(text);
  if (copyId === undefined) throw badQuery("copyid", text, "This is not an id of a copy.");
  const action = headers["x-ms-copy-action"];
  if (action?.toLowerCase() !== "abort") throw badHeader("x-ms-copy-action", action ?? "");
  await abortCopyBlob(blobs, { ref: readBlobRef(request), leaseId: readLeaseId(headers), copyId });
  return { status: 204 };
}
