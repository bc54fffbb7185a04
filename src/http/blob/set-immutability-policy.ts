import { type OnState, setImmutabilityPolicy } from "../../services/blob/immutability.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { ConditionHeader } from "../operation.ts";
import { printHttpDate } from "../wire/dates.ts";
import { readImmutability, readSelector } from "./blob-headers.ts";
import { missingHeader, readBlobRef, readWriteConditions } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

export const IF_UNMODIFIED: readonly ConditionHeader[] = ["if-unmodified-since"];

export function readOnState(request: HttpRequest): OnState {
  return { ref: readBlobRef(request), selector: readSelector(request.query) };
}

/** PUT ?comp=immutabilityPolicies */
export async function handleSetImmutabilityPolicy(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  const conditions = readWriteConditions(request.headers, IF_UNMODIFIED);
  const immutability = readImmutability(request);
  if (immutability === undefined) throw missingHeader("x-ms-immutability-policy-until-date");
  const { until, mode } = await setImmutabilityPolicy(blobs, {
    ...readOnState(request),
    conditions,
    immutability,
  });
  return {
    status: 200,
    headers: {
      "x-ms-immutability-policy-until-date": printHttpDate(until),
      "x-ms-immutability-policy-mode": mode,
    },
  };
}
