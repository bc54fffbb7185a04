import { badQuery } from "../../base/refusals.ts";
import { timestampOf } from "../../base/revision.ts";
import { snapshotBlob } from "../../services/blob/snapshot-blob.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readBlobGuards, readCustomerKey, refuseVersionOrSnapshot } from "./blob-headers.ts";
import { IF_ALL, readBlobRef } from "./read-request.ts";
import { stamp, versionHeader } from "./replies.ts";
import type { BlobServices } from "./services.ts";

export async function handleSnapshotBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const past = request.query.get("snapshot");
  if (past !== undefined) throw badQuery("snapshot", past, "There are no snapshots of snapshots.");
  refuseVersionOrSnapshot(request.query);
  const taken = await snapshotBlob(blobs, {
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
