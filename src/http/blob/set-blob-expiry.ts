import { badHeader } from "../../base/refusals.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { type ExpiryRequest, setBlobExpiry } from "../../services/blob/set-blob-expiry.ts";
import { requireHeader } from "../common/read-headers.ts";
import { stamp } from "../common/replies.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { parseHttpDate } from "../wire/dates.ts";
import { readBlobGuards, readBlobRef, refuseVersionOrSnapshot } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

export async function handleSetBlobExpiry(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const written = await setBlobExpiry(blobs, {
    ref: readBlobRef(request),
    ...readBlobGuards(request, []),
    expiry: readExpiry(request.headers),
  });
  return { status: 200, headers: stamp(written.revision) };
}

function readExpiry(headers: Headers): ExpiryRequest {
  const option = requireHeader(headers, "x-ms-expiry-option");
  switch (option.toLowerCase()) {
    case "neverexpire":
      return { option: "NeverExpire" };
    case "relativetocreation":
      return { option: "RelativeToCreation", millis: readMillis(headers) };
    case "relativetonow":
      return { option: "RelativeToNow", millis: readMillis(headers) };
    case "absolute": {
      const text = requireHeader(headers, "x-ms-expiry-time");
      const at = parseHttpDate(text);
      if (at === undefined) throw badHeader("x-ms-expiry-time", text);
      return { option: "Absolute", at };
    }
  }
  throw badHeader("x-ms-expiry-option", option);
}

function readMillis(headers: Headers): number {
  const text = requireHeader(headers, "x-ms-expiry-time");
  const millis = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(millis > 0 && millis <= BLOB_LIMITS.expiryMillisMax)) throw badHeader("x-ms-expiry-time", text);
  return millis;
}
