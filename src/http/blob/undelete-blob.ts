import { undeleteBlob } from "../../services/blob/undelete-blob.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readBlobRef } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

export async function handleUndeleteBlob(request: HttpRequest, { blobs }: BlobServices): Promise<HttpReply> {
  await undeleteBlob(blobs, readBlobRef(request));
  return { status: 200 };
}
