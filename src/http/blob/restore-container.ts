import { restoreContainer } from "../../services/blob/restore-container.ts";
import { requireHeader } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readContainerRef } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

export async function handleRestoreContainer(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  await restoreContainer(blobs, {
    ref: readContainerRef(request),
    deletedName: requireHeader(request.headers, "x-ms-deleted-container-name"),
    deletedVersion: requireHeader(request.headers, "x-ms-deleted-container-version"),
  });
  return { status: 201 };
}
