import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { setContainerAcl } from "../../services/blob/set-container-acl.ts";
import { stamp } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { parseSignedIdentifiers } from "../wire/signed-identifiers.ts";
import { IF_DATES } from "./read-conditions.ts";
import { readContainerGuards, readPublicAccess } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

/** Azure requires this order. SDKs put the letters that came later in different places. */
const PERMISSIONS = /^r?a?c?w?d?[xy]{0,2}l?[xytfmeopi]{0,9}$/;

export async function handleSetContainerAcl(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  const guards = readContainerGuards(request, IF_DATES);
  const publicAccess = readPublicAccess(request.headers);
  const policies = parseSignedIdentifiers(await request.body.read(BLOB_LIMITS.aclBodyBytesMax), PERMISSIONS);
  const revision = await setContainerAcl(blobs, { ...guards, publicAccess, policies });
  return { status: 200, headers: stamp(revision) };
}
