import { Refusal } from "../../base/refusals.ts";
import { copyIncremental as copy } from "../../services/blob/copy-incremental.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readCreateGuards, refuseVersionOrSnapshot } from "./blob-headers.ts";
import { copyReply } from "./copy-blob.ts";
import { readOwnSource } from "./copy-source.ts";
import { IF_ALL, readBlobRef } from "./read-request.ts";
import { type BlobRow, type BlobServices, onBlob, row } from "./rows.ts";

/** PUT ?comp=incrementalcopy: the source is a snapshot of a page blob of this server */
async function copyIncremental(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const guards = readCreateGuards(request, IF_ALL);
  const source = await readOwnSource(request, services);
  if (source === undefined) throw new Refusal("InvalidSourceBlobUrl");
  const copyId = services.blobs.parts.random.uuid();
  return copyReply(await copy(services.blobs, { ref: readBlobRef(request), ...guards, source, copyId }));
}

export const COPY_INCREMENTAL_ROW: BlobRow = row({
  name: "CopyIncremental",
  method: "PUT",
  resource: "blob",
  query: { comp: "incrementalcopy" },
  permission: onBlob(["c", "w"]),
  returnsEtag: true,
  conditions: IF_ALL,
  ok: [202],
  handle: copyIncremental,
});
