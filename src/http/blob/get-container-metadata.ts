import type { HttpReply, HttpRequest } from "../exchange.ts";
import { printMetadata } from "../wire/metadata.ts";
import { readContainer } from "./get-container-properties.ts";
import { stamp } from "./replies.ts";
import type { BlobServices } from "./services.ts";

export async function handleGetContainerMetadata(
  request: HttpRequest,
  services: BlobServices,
): Promise<HttpReply> {
  const { record } = await readContainer(request, services);
  return { status: 200, headers: { ...stamp(record.revision), ...printMetadata(record.metadata ?? {}) } };
}
