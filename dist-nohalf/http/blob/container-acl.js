import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { NO_CONDITIONS } from "../../concurrency/conditions.js";
import { getContainer, setContainerAcl as setAcl } from "../../services/blob/container-properties.js";
import { parseSignedIdentifiers, printSignedIdentifiers } from "../wire/signed-identifiers.js";
import { readGuards, readPublicAccess } from "./container.js";
import { IF_DATES, readContainerRef, readLeaseId } from "./read-request.js";
import { stamp, XML } from "./replies.js";
import { getAndHead, OWNER_ONLY, row } from "./rows.js";
/** Public access and stored access policies of a container. */
async function getContainerAcl(request, { blobs }) {
    const { record } = await getContainer(blobs, {
        ref: readContainerRef(request),
        conditions: NO_CONDITIONS,
        leaseId: readLeaseId(request.headers),
    });
    const access = { "x-ms-blob-public-access": record.publicAccess };
    const headers = { ...XML, ...stamp(record.revision), ...access };
    return { status: 200, headers, body: printSignedIdentifiers(record.policies ?? []) };
}
async function setContainerAcl(request, { blobs }) {
    const guards = readGuards(request, IF_DATES);
    const publicAccess = readPublicAccess(request.headers);
    const policies = parseSignedIdentifiers(await request.body.read(BLOB_LIMITS.aclBodyBytesMax));
    const revision = await setAcl(blobs, { ...guards, publicAccess, policies });
    return { status: 200, headers: stamp(revision) };
}
const query = { restype: "container", comp: "acl" };
const permission = { type: "c", ...OWNER_ONLY, bearerSince: "2025-07-05" };
export const ACL_ROWS = [
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
