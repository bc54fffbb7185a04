import { NO_CONDITIONS } from "../../concurrency/conditions.ts";
import { getContainer, setContainerAcl as setAcl } from "../../services/blob/container-properties.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { parseSignedIdentifiers, printSignedIdentifiers } from "../wire/signed-identifiers.ts";
import { readGuards, readPublicAccess } from "./container.ts";
import { IF_DATES, readContainerRef, readLeaseId } from "./read-request.ts";
import { stamp, XML } from "./replies.ts";
import { type BlobRow, type BlobServices, getAndHead, OWNER_ONLY, row } from "./rows.ts";

/** Public access and stored access policies of a container. */
async function getContainerAcl(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const { record } = await getContainer(blobs, {
    ref: readContainerRef(request),
    conditions: NO_CONDITIONS,
    leaseId: readLeaseId(request.headers),
  });
  const access = { "x-ms-blob-public-access": record.publicAccess };
  const headers = { ...XML, ...stamp(record.revision), ...access };
  return { status: 200, headers, body: printSignedIdentifiers(record.policies ?? []) };
}

/** In this order: Azure takes no other. The letters that came later stand where the SDKs put them, here or there. */
const PERMISSIONS = /^r?a?c?w?d?[xy]{0,2}l?[xytfmeopi]{0,9}$/;

async function setContainerAcl(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  const guards = readGuards(request, IF_DATES);
  const publicAccess = readPublicAccess(request.headers);
  const policies = parseSignedIdentifiers(await request.body.read(BLOB_LIMITS.aclBodyBytesMax), PERMISSIONS);
  const revision = await setAcl(blobs, { ...guards, publicAccess, policies });
  return { status: 200, headers: stamp(revision) };
}

const query = { restype: "container", comp: "acl" } as const;
const permission = { type: "c", ...OWNER_ONLY, bearerSince: "2025-07-05" } as const;

export const ACL_ROWS: readonly BlobRow[] = [
  ...getAndHead({
    name: "GetContainerAcl",
    resource: "container",
    query,
    permission,
    returnsEtag: true,
    lease: "checked",
    handle: getContainerAcl,
  }),
  row({
    name: "SetContainerAcl",
    method: "PUT",
    resource: "container",
    query,
    permission,
    returnsEtag: true,
    conditions: IF_DATES,
    lease: "checked",
    body: "xml",
    bodyBytesMax: BLOB_LIMITS.aclBodyBytesMax,
    handle: setContainerAcl,
  }),
];
