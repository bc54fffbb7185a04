import { FILE_LIMITS } from "../../services/file/limits.ts";
import { setShareAcl } from "../../services/file/share-properties.ts";
import { readLeaseId } from "../common/read-headers.ts";
import { stamp } from "../common/replies.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { parseSignedIdentifiers } from "../wire/signed-identifiers.ts";
import { readShareRef, snapshotOf } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/** Azure requires this order. */
const PERMISSIONS = /^r?c?w?d?l?$/;

/** PUT /{share}?restype=share&comp=acl */
export async function handleSetShareAcl(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const share = await setShareAcl(files, {
    ref: { ...readShareRef(request), ...snapshotOf(request) },
    leaseId: readLeaseId(request.headers),
    policies: parseSignedIdentifiers(await request.body.read(FILE_LIMITS.aclBytesMax), PERMISSIONS),
  });
  return { status: 200, headers: stamp(share.revision) };
}
