import { MIB } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { checkCopyTarget } from "../../services/blob/external-copy.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { putBlob } from "../../services/blob/put-blob.ts";
import { readBoolean } from "../common/read-headers.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { bytesMaxFor, checkMd5 } from "./put-blob.ts";
import { IF_ALL } from "./read-conditions.ts";
import {
  copiesSourceTags,
  readBlobRef,
  readCreateGuards,
  readProperties,
  refuseVersionOrSnapshot,
} from "./read-request.ts";
import { writtenHeaders } from "./replies.ts";
import type { BlobServices } from "./services.ts";
import { openSourceBody, sourceDigests } from "./source-body.ts";

const BLOB_SIZES = { since2019: BLOB_LIMITS.putBlobBytesMax, since2016: 256 * MIB, before: 256 * MIB };

/** PUT with x-ms-blob-type: BlockBlob and x-ms-copy-source */
export async function handlePutBlobFromUrl(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  const { headers } = request;
  refuseVersionOrSnapshot(request.query);
  const guards = { ...readCreateGuards(request, IF_ALL), use: "putBlobFromUrl" } as const;
  const properties = readProperties(request, false);
  const copiesTags = copiesSourceTags(headers);
  if (copiesTags && properties.tags !== undefined) {
    throw new Refusal("BothUserTagsAndSourceTagsCopyPresentException");
  }
  const bytesMax = bytesMaxFor(request.version, BLOB_SIZES);
  const ref = readBlobRef(request);
  const target = { ref, ...guards, encryption: properties.encryption };
  const checkTarget = () => checkCopyTarget(services.blobs, target, "sync");
  const options = { use: guards.use, bytesMax, md5: true, crc64: true, checkTarget } as const;
  const source = await openSourceBody(request, services, options);
  try {
    const keeps = readBoolean(headers, "x-ms-copy-source-blob-properties") ?? true;
    const { contentMd5: _, ...http } = source.http;
    const written = await putBlob(services.blobs, {
      ref,
      ...guards,
      properties: {
        ...properties,
        http: { ...(keeps ? http : {}), ...properties.http },
        tags: properties.tags ?? (copiesTags ? source.tags : undefined),
      },
      body: source.body,
      length: source.length,
      md5: () => checkMd5(properties, source.body.md5),
    });
    return { status: 201, headers: { ...writtenHeaders(written), ...sourceDigests(request, source) } };
  } finally {
    source.close();
  }
}
