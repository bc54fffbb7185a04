import { badHeader } from "../../base/refusals.ts";
import { createContainer } from "../../services/blob/create-container.ts";
import { BLOB_LIMITS } from "../../services/blob/limits.ts";
import type { ContainerRecord } from "../../services/blob/records.ts";
import { readBoolean } from "../common/read-headers.ts";
import { stamp } from "../common/replies.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readContainerRef, readPublicAccess } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

function readContainerScope(headers: Headers): ContainerRecord["encryptionScope"] {
  const name = headers["x-ms-default-encryption-scope"];
  const isEnforced = readBoolean(headers, "x-ms-deny-encryption-scope-override");
  if (name === undefined) {
    if (isEnforced === true) throw badHeader("x-ms-deny-encryption-scope-override", "true");
    return undefined;
  }
  if (name === "" || name.length > BLOB_LIMITS.encryptionScopeCharsMax)
    throw badHeader("x-ms-default-encryption-scope", name);
  return { name, isEnforced: isEnforced ?? false };
}

export async function handleCreateContainer(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  const revision = await createContainer(blobs, {
    ref: readContainerRef(request),
    metadata: readMetadata(request.rawHeaders),
    publicAccess: readPublicAccess(request.headers),
    encryptionScope: readContainerScope(request.headers),
  });
  return { status: 201, headers: stamp(revision) };
}
