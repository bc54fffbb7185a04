import { timestampOf } from "../../base/revision.ts";
import { createSnapshot } from "../../services/file/snapshots.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readShareRef } from "./read-request.ts";
import { stamp } from "./replies.ts";
import type { FileServices } from "./services.ts";

/** Asked at the address of a snapshot, Azure takes one of the share all the same. */
export async function handleSnapshotShare(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const metadata = readMetadata(request.rawHeaders);
  const snapshot = await createSnapshot(files, readShareRef(request), metadata);
  const headers = { ...stamp(snapshot.revision), "x-ms-snapshot": timestampOf(snapshot.time) };
  return { status: 201, headers };
}
