import { badHeader, badQuery } from "../../base/refusals.ts";
import { deleteBlob as remove } from "../../services/blob/delete-blob.ts";
import { undeleteBlob as undelete } from "../../services/blob/undelete-blob.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readBlobGuards, readSelector } from "./blob-headers.ts";
import { IF_ALL, readBlobRef, readTierConditions } from "./read-request.ts";
import { type BlobRow, type BlobServices, onBlob, row } from "./rows.ts";

/** DELETE /{container}/{blob} */
export async function deleteBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers, query } = request;
  const selector = readSelector(query);
  const snapshots = headers["x-ms-delete-snapshots"]?.toLowerCase();
  if (snapshots !== undefined && snapshots !== "include" && snapshots !== "only") {
    throw badHeader("x-ms-delete-snapshots", snapshots);
  }
  // A state of the past has no snapshots of its own.
  if (snapshots !== undefined && selector.snapshot !== undefined) {
    throw badHeader("x-ms-delete-snapshots", snapshots);
  }
  const type = query.get("deletetype");
  if (type !== undefined && type.toLowerCase() !== "permanent") {
    throw badQuery("deletetype", type, "There is no such way to delete.");
  }
  const { isPermanent } = await remove(blobs, {
    ref: readBlobRef(request),
    selector,
    ...readBlobGuards(request, IF_ALL),
    tierTimes: readTierConditions(headers),
    snapshots,
    isPermanent: type !== undefined,
  });
  return { status: 202, headers: { "x-ms-delete-type-permanent": String(isPermanent) } };
}

async function undeleteBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  await undelete(blobs, readBlobRef(request));
  return { status: 200 };
}

const common = {
  method: "DELETE",
  resource: "blob",
  conditions: IF_ALL,
  lease: "checked",
  ok: [202],
  handle: deleteBlob,
} as const;

export const DELETE_BLOB_ROWS: readonly BlobRow[] = [
  row({ ...common, name: "DeleteBlob", permission: onBlob(["d"]) }),
  row({ ...common, name: "DeleteBlobVersion", query: { versionid: true }, permission: onBlob(["x"]) }),
  row({ ...common, name: "DeleteBlobPermanently", query: { deletetype: true }, permission: onBlob(["y"]) }),
  row({
    ...common,
    name: "DeleteBlobVersionPermanently",
    query: { deletetype: true, versionid: true },
    permission: onBlob(["y"]),
  }),
  row({
    name: "UndeleteBlob",
    method: "PUT",
    resource: "blob",
    query: { comp: "undelete" },
    permission: onBlob(["w"]),
    handle: undeleteBlob,
  }),
];
