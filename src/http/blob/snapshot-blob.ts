import { badQuery } from "../../base/refusals.ts";
import { timestampOf } from "../../base/revision.ts";
import { snapshotBlob } from "../../services/blob/snapshot-blob.ts";
import { stamp } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { IF_ALL } from "./read-conditions.ts";
import { readBlobGuards, readBlobRef, readCustomerKey, refuseVersionOrSnapshot } from "./read-request.ts";
import { versionHeader } from "./replies.ts";
import type { BlobServices } from "./services.ts";

export async function handleSnapshotBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const named = request.query.get("snapshot");
  if (named !== undefined) throw badQuery("snapshot", named, "There are no snapshots of snapshots.");
  refuseVersionOrSnapshot(request.query);
  const { revision, version, snapshot } = await snapshotBlob(blobs, {
    ref: readBlobRef(request),
    ...readBlobGuards(request, IF_ALL),
    metadata: readMetadata(request.rawHeaders),
    keySha256: readCustomerKey(request.headers),
    encryptionScope: request.headers["x-ms-encryption-scope"],
  });
  const headers = {
    ...stamp(revision),
    ...versionHeader(version),
    "x-ms-snapshot": timestampOf(snapshot),
    "x-ms-request-server-encrypted": "false",
  };
  return { status: 201, headers };
}
