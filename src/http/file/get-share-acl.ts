import { getShare } from "../../services/file/share-properties.ts";
import { readLeaseId } from "../common/read-headers.ts";
import { stamp, XML } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printSignedIdentifiers } from "../wire/signed-identifiers.ts";
import { readShareRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/** GET or HEAD /{share}?restype=share&comp=acl */
export async function handleGetShareAcl(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { share } = await getShare(files, {
    ref: readShareRef(request),
    leaseId: readLeaseId(request.headers),
  });
  const body = printSignedIdentifiers(share.policies ?? []);
  return { status: 200, headers: { ...stamp(share.revision), ...XML }, body };
}
