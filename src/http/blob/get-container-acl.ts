import { stamp, XML } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printSignedIdentifiers } from "../wire/signed-identifiers.ts";
import { readContainer } from "./get-container-properties.ts";
import type { BlobServices } from "./services.ts";

/** GET or HEAD /{container}?restype=container&comp=acl: public access and stored access policies */
export async function handleGetContainerAcl(
  request: HttpRequest,
  services: BlobServices,
): Promise<HttpReply> {
  const { record } = await readContainer(request, services);
  const access = { "x-ms-blob-public-access": record.publicAccess };
  const headers = { ...XML, ...stamp(record.revision), ...access };
  return { status: 200, headers, body: printSignedIdentifiers(record.policies ?? []) };
}
