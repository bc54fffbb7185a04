import { Refusal } from "../../base/refusals.ts";
import { incrementalCopyBlob } from "../../services/blob/incremental-copy-blob.ts";
import { readNamedSource } from "../common/copy-source.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { copyReply } from "./copy-blob.ts";
import { blobSource } from "./copy-source.ts";
import { IF_ALL } from "./read-conditions.ts";
import { readBlobRef, readCreateGuards, refuseVersionOrSnapshot } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

/** PUT ?comp=incrementalcopy: the source is a snapshot of a page blob of this server */
export async function handleIncrementalCopyBlob(
  request: HttpRequest,
  services: BlobServices,
): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const guards = readCreateGuards(request, IF_ALL);
  const source = await readNamedSource(blobSource(request, services));
  if (source === undefined) throw new Refusal("InvalidSourceBlobUrl");
  const copyId = services.blobs.random.uuid();
  return copyReply(
    await incrementalCopyBlob(services.blobs, { ref: readBlobRef(request), ...guards, source, copyId }),
  );
}
