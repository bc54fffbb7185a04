import { collect } from "../../base/bytes.ts";
import { MIB } from "../../base/limits.ts";
import { badHeader, Refusal } from "../../base/refusals.ts";
import { appendBlock as append, checkAppendTarget } from "../../services/blob/append-block.ts";
import { checkCopyTarget } from "../../services/blob/copy-from-elsewhere.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { type PutBlob, putBlob as put } from "../../services/blob/put-blob.ts";
import { checkBlockTarget, putBlock } from "../../services/blob/put-block.ts";
import { checkPageTarget, putPage } from "../../services/blob/put-page.ts";
import { mayOverwrite } from "../auth/caller.ts";
import type { HttpReply, HttpRequest, ReplyHeaders } from "../exchange.ts";
import { appendBytesMax, appendedHeaders, readAppendConditions } from "./append-blob.ts";
import {
  readBlobGuards,
  readCreateGuards,
  readEncryption,
  readProperties,
  refuseVersionOrSnapshot,
} from "./blob-headers.ts";
import { readBlockId } from "./blocks.ts";
import { checkPageWriteLength, pageHeaders, readPageWrite } from "./page-blob.ts";
import { bytesMaxFor, writtenHeaders } from "./put-blob.ts";
import {
  IF_ALL,
  readBlobRef,
  readBoolean,
  readLeaseId,
  readWriteConditions,
  requireHeader,
} from "./read-request.ts";
import { type BlobRow, type BlobServices, onBlob, row } from "./rows.ts";
import { openSourceBody, type SourceBody } from "./source-body.ts";

/** The writes whose bytes come from an address instead of a body. */

const BLOB_SIZES = { since2019: BLOB_LIMITS.putBlobBytesMax, since2016: 256 * MIB, before: 256 * MIB };
const BLOCK_SIZES = { since2019: BLOB_LIMITS.putBlockBytesMax, since2016: 100 * MIB, before: 100 * MIB };

/** PUT with x-ms-blob-type: BlockBlob and x-ms-copy-source */
async function putBlobFromUrl(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  const { headers } = request;
  refuseVersionOrSnapshot(request.query);
  const guards = readCreateGuards(request, IF_ALL);
  const given = readProperties(request, false);
  const copiesTags = headers["x-ms-copy-source-tag-option"]?.toUpperCase() === "COPY";
  if (copiesTags && given.tags !== undefined) {
    throw new Refusal("BothUserTagsAndSourceTagsCopyPresentException");
  }
  const bytesMax = bytesMaxFor(request.version, BLOB_SIZES);
  const ref = readBlobRef(request);
  const target = { ref, ...guards, encryption: given.encryption };
  const checkTarget = () =>
    checkCopyTarget(services.blobs, target, "sync").catch((error: unknown) => {
      throw asTarget(error, guards);
    });
  const wants = { use: "putBlobFromUrl", bytesMax, md5: true, checkTarget } as const;
  const source = await openSourceBody(request, services, wants);
  try {
    const keeps = readBoolean(headers, "x-ms-copy-source-blob-properties") ?? true;
    const { contentMd5: _, ...http } = source.http;
    const written = await put(services.blobs, {
      ref,
      ...guards,
      properties: {
        ...given,
        http: { ...(keeps ? http : {}), ...given.http },
        tags: given.tags ?? (copiesTags ? source.tags : undefined),
      },
      body: source.body,
      length: source.length,
      md5: () => checkedMd5(given.http.contentMd5, source),
    });
    // An MD5 nobody asked for is one the Azure CLI cannot print.
    const contentMd5 = headers["x-ms-source-content-md5"] ?? given.http.contentMd5;
    return { status: 201, headers: { ...writtenHeaders(written), "Content-MD5": contentMd5 } };
  } catch (error) {
    throw asTarget(error, guards);
  } finally {
    source.close();
  }
}

function checkedMd5(told: string | undefined, { body }: SourceBody): string | undefined {
  if (told !== undefined && told !== body.md5) {
    throw new Refusal("Md5Mismatch", {
      elements: { UserSpecifiedMd5: told, ServerCalculatedMd5: body.md5 ?? "" },
    });
  }
  return body.md5;
}

/** Of a condition on ETags this operation says which side it failed on. */
function asTarget(error: unknown, { conditions }: Pick<PutBlob, "conditions">): unknown {
  const isEtag = conditions.ifMatch !== undefined || conditions.ifNoneMatch !== undefined;
  const isTarget = error instanceof Refusal && error.code === "ConditionNotMet" && isEtag;
  return isTarget ? new Refusal("TargetConditionNotMet") : error;
}

/** PUT ?comp=block with x-ms-copy-source */
async function putBlockFromUrl(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  const { headers } = request;
  refuseVersionOrSnapshot(request.query);
  readWriteConditions(headers, []);
  const common = {
    ref: readBlobRef(request),
    leaseId: readLeaseId(headers),
    ...readBlockId(request),
    encryption: readEncryption(request),
    mayOverwrite: mayOverwrite(request.caller),
  };
  const bytesMax = bytesMaxFor(request.version, BLOCK_SIZES);
  const checkTarget = () => checkBlockTarget(services.blobs, common);
  const wants = { use: "partFromUrl", bytesMax, crc64: true, checkTarget } as const;
  const source = await openSourceBody(request, services, wants);
  try {
    if (source.length === 0) throw badHeader("x-ms-copy-source", "");
    await putBlock(services.blobs, { ...common, body: source.body, length: source.length });
  } finally {
    source.close();
  }
  const { keySha256, scope } = common.encryption;
  return {
    status: 201,
    headers: {
      ...sourceDigests(request, source),
      "x-ms-request-server-encrypted": "true",
      "x-ms-encryption-key-sha256": keySha256,
      "x-ms-encryption-scope": scope,
    },
  };
}

function sourceDigests({ headers }: HttpRequest, { body }: SourceBody): ReplyHeaders {
  const md5 = headers["x-ms-source-content-md5"];
  return md5 === undefined ? { "x-ms-content-crc64": body.crc64 } : { "Content-MD5": md5 };
}

/** PUT ?comp=appendblock with x-ms-copy-source */
async function appendBlockFromUrl(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  refuseVersionOrSnapshot(request.query);
  const common = {
    ref: readBlobRef(request),
    ...readBlobGuards(request, IF_ALL),
    append: readAppendConditions(request.headers),
    encryption: readEncryption(request),
  };
  const bytesMax = appendBytesMax(request.version);
  const checkTarget = () => checkAppendTarget(services.blobs, common);
  const wants = { use: "partFromUrl", bytesMax, crc64: true, checkTarget } as const;
  const source = await openSourceBody(request, services, wants);
  try {
    if (source.length === 0) throw badHeader("x-ms-copy-source", "");
    const appended = await append(services.blobs, { ...common, body: source.body });
    return { status: 201, headers: appendedHeaders(request, appended, sourceDigests(request, source)) };
  } finally {
    source.close();
  }
}

/** PUT ?comp=page with x-ms-copy-source */
async function putPageFromUrl(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  const { headers } = request;
  const action = requireHeader(headers, "x-ms-page-write");
  if (action.toLowerCase() !== "update") throw badHeader("x-ms-page-write", action);
  const range = requireHeader(headers, "x-ms-source-range");
  const write = readPageWrite(request);
  checkPageWriteLength(write.span);
  const bytesMax = BLOB_LIMITS.pageWriteBytesMax;
  const checkTarget = () => checkPageTarget(services.blobs, write);
  const wants = { use: "partFromUrl", bytesMax, crc64: true, checkTarget } as const;
  const source = await openSourceBody(request, services, wants);
  try {
    const isFitting = source.length === undefined || source.length === write.span.length;
    if (!isFitting) throw badHeader("x-ms-source-range", range);
    const body = await collect(source.body);
    if (body.length !== write.span.length) throw badHeader("x-ms-source-range", range);
    const written = await putPage(services.blobs, write, body);
    return { status: 201, headers: pageHeaders(request, written, sourceDigests(request, source)) };
  } finally {
    source.close();
  }
}

const common = {
  method: "PUT",
  resource: "blob",
  lease: "checked",
  // A body is looked at to be refused in the protocol's words.
  body: "stream",
  bodyBytesMax: BLOB_LIMITS.putBlobBytesMax,
  ok: [201],
} as const;

export const FROM_URL_ROWS: readonly BlobRow[] = [
  row({
    ...common,
    name: "PutBlobFromUrl",
    header: { "x-ms-blob-type": "BlockBlob", "x-ms-copy-source": true },
    permission: onBlob(["c", "w"]),
    returnsEtag: true,
    conditions: IF_ALL,
    handle: putBlobFromUrl,
  }),
  row({
    ...common,
    name: "PutBlockFromUrl",
    query: { comp: "block" },
    header: { "x-ms-copy-source": true },
    permission: onBlob(["w", "c"]),
    handle: putBlockFromUrl,
  }),
  row({
    ...common,
    name: "AppendBlockFromUrl",
    query: { comp: "appendblock" },
    header: { "x-ms-copy-source": true },
    permission: onBlob(["a", "w"]),
    returnsEtag: true,
    conditions: IF_ALL,
    handle: appendBlockFromUrl,
  }),
  row({
    ...common,
    name: "PutPageFromUrl",
    query: { comp: "page" },
    header: { "x-ms-copy-source": true },
    permission: onBlob(["w"]),
    returnsEtag: true,
    conditions: IF_ALL,
    handle: putPageFromUrl,
  }),
];
