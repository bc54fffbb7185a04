import { badHeader, badQuery } from "../../base/refusals.ts";
import { deleteBlob } from "../../services/blob/delete-blob.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { IF_ALL, readTierConditions } from "./read-conditions.ts";
import { readBlobGuards, readBlobRef, readSelector } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

/** DELETE /{container}/{blob} */
export async function handleDeleteBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { headers, query } = request;
  const selector = readSelector(query);
  const snapshots = headers["x-ms-delete-snapshots"]?.toLowerCase();
  const isKnown = snapshots === undefined || snapshots === "include" || snapshots === "only";
  // A snapshot has no snapshots of its own.
  if (!isKnown || (snapshots !== undefined && selector.snapshot !== undefined)) {
    throw badHeader("x-ms-delete-snapshots", snapshots);
  }
  const type = query.get("deletetype");
  if (type !== undefined && type.toLowerCase() !== "permanent") {
    throw badQuery("deletetype", type, "There is no such way to delete.");
  }
  const { isPermanent } = await deleteBlob(blobs, {
    ref: readBlobRef(request),
    selector,
    ...readBlobGuards(request, IF_ALL),
    tierTimes: readTierConditions(headers),
    snapshots,
    isPermanent: type !== undefined,
  });
  return { status: 202, headers: { "x-ms-delete-type-permanent": String(isPermanent) } };
}
