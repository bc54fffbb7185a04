import { deleteImmutabilityPolicy } from "../../services/blob/delete-immutability-policy.ts";
import type { StateRef } from "../../services/blob/release-immutability.ts";
import { setImmutabilityPolicy } from "../../services/blob/set-immutability-policy.ts";
import { setLegalHold } from "../../services/blob/set-legal-hold.ts";
import { missingHeader } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { ConditionHeader } from "../operation.ts";
import { printHttpDate } from "../wire/dates.ts";
import { readWriteConditions } from "./read-conditions.ts";
import { readBlobRef, readImmutability, readLegalHold, readSelector } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

export const IF_UNMODIFIED: readonly ConditionHeader[] = ["if-unmodified-since"];

function readOnState(request: HttpRequest): StateRef {
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

/** DELETE ?comp=immutabilityPolicies */
export async function handleDeleteImmutabilityPolicy(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  await deleteImmutabilityPolicy(blobs, readOnState(request));
  return { status: 200 };
}

/** PUT ?comp=legalhold */
export async function handleSetLegalHold(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const hasLegalHold = readLegalHold(request);
  if (hasLegalHold === undefined) throw missingHeader("x-ms-legal-hold");
  await setLegalHold(blobs, { ...readOnState(request), hasLegalHold });
  return { status: 200, headers: { "x-ms-legal-hold": String(hasLegalHold) } };
}
