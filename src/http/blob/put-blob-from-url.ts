import { MIB } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { checkCopyTarget } from "../../services/blob/copy-from-elsewhere.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import { type PutBlob, putBlob } from "../../services/blob/put-blob.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readCreateGuards, readProperties, refuseVersionOrSnapshot } from "./blob-headers.ts";
import { bytesMaxFor } from "./put-blob.ts";
import { IF_ALL, readBlobRef, readBoolean } from "./read-request.ts";
import type { BlobServices } from "./services.ts";
import { openSourceBody, type SourceBody } from "./source-body.ts";
import { writtenHeaders } from "./written-headers.ts";

/** The writes whose bytes come from an address instead of a body. */

const BLOB_SIZES = { since2019: BLOB_LIMITS.putBlobBytesMax, since2016: 256 * MIB, before: 256 * MIB };

/** PUT with x-ms-blob-type: BlockBlob and x-ms-copy-source */
export async function handlePutBlobFromUrl(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
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
    const written = await putBlob(services.blobs, {
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
