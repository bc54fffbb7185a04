import {
  deleteImmutabilityPolicy as deletePolicy,
  type OnState,
  setLegalHold as setHold,
  setImmutabilityPolicy as setPolicy,
} from "../../services/blob/immutability.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { ConditionHeader } from "../operation.ts";
import { printHttpDate } from "../wire/dates.ts";
import { readImmutability, readLegalHold, readSelector } from "./blob-headers.ts";
import { missingHeader, readBlobRef, readWriteConditions } from "./read-request.ts";
import { type BlobRow, type BlobServices, onBlob, row } from "./rows.ts";

const IF_UNMODIFIED: readonly ConditionHeader[] = ["if-unmodified-since"];

function readState(request: HttpRequest): OnState {
  return { ref: readBlobRef(request), selector: readSelector(request.query) };
}

/** PUT ?comp=immutabilityPolicies */
async function setImmutabilityPolicy(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const conditions = readWriteConditions(request.headers, IF_UNMODIFIED);
  const immutability = readImmutability(request);
  if (immutability === undefined) throw missingHeader("x-ms-immutability-policy-until-date");
  const { until, mode } = await setPolicy(blobs, { ...readState(request), conditions, immutability });
  return {
    status: 200,
    headers: {
      "x-ms-immutability-policy-until-date": printHttpDate(until),
      "x-ms-immutability-policy-mode": mode,
    },
  };
}

/** DELETE ?comp=immutabilityPolicies */
async function deleteImmutabilityPolicy(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  await deletePolicy(blobs, readState(request));
  return { status: 200 };
}

/** PUT ?comp=legalhold */
async function setLegalHold(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const hasLegalHold = readLegalHold(request);
  if (hasLegalHold === undefined) throw missingHeader("x-ms-legal-hold");
  await setHold(blobs, { ...readState(request), hasLegalHold });
  return { status: 200, headers: { "x-ms-legal-hold": String(hasLegalHold) } };
}

const common = { resource: "blob", permission: onBlob(["i"]) } as const;

export const IMMUTABILITY_ROWS: readonly BlobRow[] = [
  row({
    ...common,
    name: "SetImmutabilityPolicy",
    method: "PUT",
    query: { comp: "immutabilitypolicies" },
    conditions: IF_UNMODIFIED,
    handle: setImmutabilityPolicy,
  }),
  row({
    ...common,
    name: "DeleteImmutabilityPolicy",
    method: "DELETE",
    query: { comp: "immutabilitypolicies" },
    handle: deleteImmutabilityPolicy,
  }),
  row({
    ...common,
    name: "SetLegalHold",
    method: "PUT",
    query: { comp: "legalhold" },
    handle: setLegalHold,
  }),
];
