import { Refusal } from "../../base/refusals.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { createPermission as create, getPermission as get } from "../../services/file/permissions.ts";
import { getShare, setShareAcl as setAcl } from "../../services/file/share-properties.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { parseSignedIdentifiers, printSignedIdentifiers } from "../wire/signed-identifiers.ts";
import {
  printPermission,
  readFormat,
  readLeaseId,
  readShareRef,
  requireHeader,
  sddlOf,
  snapshotOf,
} from "./read-request.ts";
import { stamp, XML } from "./replies.ts";
import { type FileRow, type FileServices, getAndHead, onShare, row } from "./rows.ts";

/** Who may do what in a share: stored access policies, and the security descriptors of its files. */
async function getShareAcl(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { share } = await getShare(files, {
    ref: readShareRef(request),
    leaseId: readLeaseId(request.headers),
  });
  const body = printSignedIdentifiers(share.policies ?? []);
  return { status: 200, headers: { ...stamp(share.revision), ...XML }, body };
}

/** In this order: Azure takes no other. */
const PERMISSIONS = /^r?c?w?d?l?$/;

async function setShareAcl(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const share = await setAcl(files, {
    ref: { ...readShareRef(request), ...snapshotOf(request) },
    leaseId: readLeaseId(request.headers),
    policies: parseSignedIdentifiers(await request.body.read(FILE_LIMITS.aclBytesMax), PERMISSIONS),
  });
  return { status: 200, headers: stamp(share.revision) };
}

async function createPermission(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const ref = { ...readShareRef(request), ...snapshotOf(request) };
  const body = await request.body.read(FILE_LIMITS.permissionBytesMax);
  const key = await create(files, ref, readPermissionBody(body));
  return { status: 201, headers: { "x-ms-file-permission-key": key } };
}

function readPermissionBody(body: Buffer): string {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refusal("InvalidInput", { text: "The body is not JSON." });
    throw error;
  }
  const { permission, format } = (value ?? {}) as { permission?: unknown; format?: unknown };
  if (typeof permission !== "string") throw new Refusal("FileInvalidPermission");
  return sddlOf(permission, typeof format === "string" ? format : undefined);
}

async function getPermission(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const key = requireHeader(request.headers, "x-ms-file-permission-key");
  const format = readFormat(request.headers["x-ms-file-permission-format"]);
  const sddl = await get(files, readShareRef(request), key);
  const body = JSON.stringify({ permission: printPermission(sddl, format), format });
  return { status: 200, headers: { "Content-Type": "application/json" }, body };
}

const resource = "share" as const;
const restype = "share";

export const SHARE_ACL_ROWS: readonly FileRow[] = [
  ...getAndHead({
    name: "GetShareAcl",
    resource,
    query: { restype, comp: "acl" },
    permission: onShare([]),
    returnsEtag: true,
    lease: "checked",
    handle: getShareAcl,
  }),
  row({
    name: "SetShareAcl",
    method: "PUT",
    resource,
    query: { restype, comp: "acl" },
    permission: onShare([]),
    returnsEtag: true,
    lease: "checked",
    body: "xml",
    bodyBytesMax: FILE_LIMITS.aclBytesMax,
    handle: setShareAcl,
  }),
  row({
    name: "CreatePermission",
    method: "PUT",
    resource,
    query: { restype, comp: "filepermission" },
    permission: onShare(["w", "c"], ["w", "c"]),
    body: "json",
    bodyBytesMax: FILE_LIMITS.permissionBytesMax,
    ok: [201],
    handle: createPermission,
  }),
  row({
    name: "GetPermission",
    method: "GET",
    resource,
    query: { restype, comp: "filepermission" },
    permission: onShare(["r"], ["r"]),
    handle: getPermission,
  }),
];
