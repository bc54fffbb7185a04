import { deleteImmutabilityPolicy } from "../../services/blob/immutability.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import type { BlobServices } from "./services.ts";
import { readOnState } from "./set-immutability-policy.ts";

/** DELETE ?comp=immutabilityPolicies */
export async function handleDeleteImmutabilityPolicy(
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  await deleteImmutabilityPolicy(blobs, readOnState(request));
  return { status: 200 };
}
