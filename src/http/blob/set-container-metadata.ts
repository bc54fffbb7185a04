import { setContainerMetadata } from "../../services/blob/set-container-metadata.ts";
import { stamp } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { ConditionHeader } from "../operation.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readContainerGuards } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

export const METADATA_CONDITIONS: readonly ConditionHeader[] = ["if-modified-since"];

export async function handleSetContainerMetadata(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  const guards = readContainerGuards(request, METADATA_CONDITIONS);
  const revision = await setContainerMetadata(blobs, {
    ...guards,
    metadata: readMetadata(request.rawHeaders),
  });
  return { status: 200, headers: stamp(revision) };
}
