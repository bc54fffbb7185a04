import { timestampOf } from "../../base/revision.ts";
import { createSnapshot } from "../../services/file/snapshots.ts";
import { stamp } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readShareRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/**
 * PUT /{share}?restype=share&comp=snapshot. At the address of a snapshot Azure creates one of the share, too.
 */
export async function handleSnapshotShare(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const metadata = readMetadata(request.rawHeaders);
  const snapshot = await createSnapshot(files, readShareRef(request), metadata);
  const headers = { ...stamp(snapshot.revision), "x-ms-snapshot": timestampOf(snapshot.time) };
  return { status: 201, headers };
}
