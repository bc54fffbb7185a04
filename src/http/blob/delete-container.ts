import { deleteContainer } from "../../services/blob/delete-container.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { IF_DATES } from "./read-conditions.ts";
import { readContainerGuards } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

export async function handleDeleteContainer(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  await deleteContainer(blobs, readContainerGuards(request, IF_DATES));
  return { status: 202 };
}
