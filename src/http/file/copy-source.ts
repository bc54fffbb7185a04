import { Refusal } from "../../base/refusals.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import type { PathRef } from "../../services/file/names.ts";
import { authenticate } from "../auth/authenticate.ts";
import { authorize } from "../auth/authorize.ts";
import { readSourceUrl, withoutSignature } from "../common/copy-address.ts";
import { checkSource, isOfCaller, type SourceReader } from "../common/copy-source.ts";
import { readBoolean, requireHeader } from "../common/read-headers.ts";
import { onObject } from "../common/rows.ts";
import type { HttpRequest } from "../exchange.ts";
import type { Permission } from "../operation.ts";
import type { Address } from "../target.ts";
import { pathRefOf, snapshotOf } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/**
 * The source of a copy or rename, and the permission to use it: by a SAS in the address, by a token of its
 * own, or by the credentials of the caller.
 */
export interface OwnSource {
  readonly ref: PathRef;
  readonly shown: string;
}

interface SourceOptions {
  /** The header with the address. */
  readonly header?: string;
  readonly permission?: Permission;
  /** Whether the credentials of the caller are enough; otherwise the source needs its own. */
  readonly isOwnEnough?: boolean;
}

export function fileSource(
  request: HttpRequest,
  services: FileServices,
  options: SourceOptions = {},
): SourceReader<OwnSource> {
  const { header = "x-ms-copy-source" } = options;
  const { headers } = request;
  const url = readSourceUrl(requireHeader(headers, header), header, FILE_LIMITS.copySourceCharsMax);
  const keepsDots = readBoolean(headers, "x-ms-source-allow-trailing-dot") ?? false;
  const readLocal = async (sent: Address): Promise<OwnSource> => {
    const { target } = sent;
    if (!target.path.includes("/")) throw new Refusal("CopySourceInvalid");
    const ref = { ...pathRefOf(target, keepsDots), ...snapshotOf(sent) };
    // A SAS signs the name of the file that is read.
    const address = { ...sent, target: { ...target, path: [ref.share, ...ref.path].join("/") } };
    await checkAllowed(request, address, services, options);
    return { ref, shown: withoutSignature(url) };
  };
  return { request, sources: services.sources, service: "file", url, readLocal };
}

function checkAllowed(
  request: HttpRequest,
  address: Address,
  { auth }: FileServices,
  { permission = onObject("r"), isOwnEnough = true }: SourceOptions,
): Promise<void> {
  const { caller, headers } = request;
  const row = { resource: "file" as const, permission };
  const isOwn = isOwnEnough && isOfCaller(request, address);
  return checkSource(
    request,
    address,
    async (read) => authorize(isOwn ? caller : await authenticate(read, auth), row, read, auth),
    { "x-ms-file-request-intent": headers["x-ms-file-request-intent"] },
  );
}
