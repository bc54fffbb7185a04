import { NO_CONDITIONS } from "../../concurrency/conditions.ts";
import { getContainer } from "../../services/blob/container-properties.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printSignedIdentifiers } from "../wire/signed-identifiers.ts";
import { readContainerRef, readLeaseId } from "./read-request.ts";
import { stamp, XML } from "./replies.ts";
import type { BlobServices } from "./services.ts";

/** Public access and stored access policies of a container. */
export async function handleGetContainerAcl(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  const { record } = await getContainer(blobs, {
    ref: readContainerRef(request),
    conditions: NO_CONDITIONS,
    leaseId: readLeaseId(request.headers),
  });
  const access = { "x-ms-blob-public-access": record.publicAccess };
  const headers = { ...XML, ...stamp(record.revision), ...access };
  return { status: 200, headers, body: printSignedIdentifiers(record.policies ?? []) };
}
