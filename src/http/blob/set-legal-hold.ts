import { setLegalHold } from "../../services/blob/immutability.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readLegalHold } from "./blob-headers.ts";
import { missingHeader } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { readOnState } from "./set-immutability-policy.ts";

/** PUT ?comp=legalhold */
export async function handleSetLegalHold(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const hasLegalHold = readLegalHold(request);
  if (hasLegalHold === undefined) throw missingHeader("x-ms-legal-hold");
  await setLegalHold(blobs, { ...readOnState(request), hasLegalHold });
  return { status: 200, headers: { "x-ms-legal-hold": String(hasLegalHold) } };
}
