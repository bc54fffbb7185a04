import { badHeader, badQuery } from "../../base/refusals.ts";
import { timestampOf } from "../../base/revision.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { type ExpiryRequest, setBlobExpiry as setExpiry } from "../../services/blob/set-blob-expiry.ts";
import { setHttpHeaders, setBlobMetadata as setMetadata } from "../../services/blob/set-blob-properties.ts";
import { snapshotBlob as snapshot } from "../../services/blob/snapshot-blob.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { parseHttpDate } from "../wire/dates.ts";
import { readMetadata } from "../wire/metadata.ts";
import {
  readBlobGuards,
  readCustomerKey,
  readEncryption,
  readNewHttpHeaders,
  refuseVersionOrSnapshot,
} from "./blob-headers.ts";
import { isPageChange, setPageBlobProperties } from "./page-properties.ts";
import { writtenHeaders } from "./put-blob.ts";
import { IF_ALL, readBlobRef, requireHeader } from "./read-request.ts";
import { stamp, versionHeader } from "./replies.ts";
import { type BlobRow, type BlobServices, onBlob, row } from "./rows.ts";

/** Changes that leave the content alone: metadata, HTTP headers, expiry; and the snapshot, which changes nothing. */
async function setBlobMetadata(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const written = await setMetadata(blobs, {
    ref: readBlobRef(request),
    ...readBlobGuards(request, IF_ALL),
    metadata: readMetadata(request.rawHeaders),
    encryption: readEncryption(request),
  });
  return { status: 200, headers: writtenHeaders(written) };
}

async function setBlobProperties(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  if (isPageChange(request.headers)) return setPageBlobProperties(request, blobs);
  const { record } = await setHttpHeaders(blobs, {
    ref: readBlobRef(request),
    ...readBlobGuards(request, IF_ALL),
    http: readNewHttpHeaders(request.headers),
  });
  const sequence = record.kind === "page" ? String(record.sequenceNumber ?? 0n) : undefined;
  return { status: 200, headers: { ...stamp(record.revision), "x-ms-blob-sequence-number": sequence } };
}

async function snapshotBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const past = request.query.get("snapshot");
  if (past !== undefined) throw badQuery("snapshot", past, "There are no snapshots of snapshots.");
  refuseVersionOrSnapshot(request.query);
  const taken = await snapshot(blobs, {
    ref: readBlobRef(request),
    ...readBlobGuards(request, IF_ALL),
    metadata: readMetadata(request.rawHeaders),
    keySha256: readCustomerKey(request.headers),
  });
  const headers = {
    ...stamp(taken.revision),
    ...versionHeader(taken.version),
    "x-ms-snapshot": timestampOf(taken.snapshot),
    "x-ms-request-server-encrypted": "true",
  };
  return { status: 201, headers };
}

async function setBlobExpiry(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const written = await setExpiry(blobs, {
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

const common = { method: "PUT", resource: "blob", returnsEtag: true, lease: "checked" } as const;
const writable = onBlob(["w"]);

export const SET_BLOB_ROWS: readonly BlobRow[] = [
  row({
    ...common,
    name: "SetBlobMetadata",
    query: { comp: "metadata" },
    permission: writable,
    conditions: IF_ALL,
    handle: setBlobMetadata,
  }),
  row({
    ...common,
    name: "SetBlobProperties",
    query: { comp: "properties" },
    permission: writable,
    conditions: IF_ALL,
    handle: setBlobProperties,
  }),
  row({
    ...common,
    name: "SnapshotBlob",
    query: { comp: "snapshot" },
    permission: onBlob(["c", "w"]),
    conditions: IF_ALL,
    ok: [201],
    handle: snapshotBlob,
  }),
  row({
    ...common,
    name: "SetBlobExpiry",
    query: { comp: "expiry" },
    permission: writable,
    handle: setBlobExpiry,
  }),
];
