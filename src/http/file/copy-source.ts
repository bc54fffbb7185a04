import { FILE_LIMITS } from "../../base/limits-file.ts";
import { answerOf, Refusal, sourceRefusal } from "../../base/refusals.ts";
import type { PathRef } from "../../services/file/names.ts";
import { authenticate } from "../auth/authenticate.ts";
import { authorize } from "../auth/authorize.ts";
import { locateSource, readSourceUrl, withoutSignature } from "../common/copy-address.ts";
import type { HttpRequest } from "../exchange.ts";
import type { Permission } from "../operation.ts";
import { type Address, readAddress } from "../target.ts";
import { pathRefOf, readFlag, requireHeader, snapshotOf } from "./read-request.ts";
import { type FileServices, onNode } from "./rows.ts";

/**
 * The address of what is copied or renamed, and the right to it. A file of this server is found without going over
 * the network; whoever names it must be allowed to read it all the same: by a SAS in the address, by a token of its
 * own, or because the caller's own rights reach it.
 */
export type CopySource =
  | { readonly kind: "here"; readonly ref: PathRef; readonly shown: string }
  | { readonly kind: "elsewhere"; readonly url: URL; readonly shown: string };

export interface SourceOptions {
  /** Where the address stands. */
  readonly header?: string;
  readonly permission?: Permission;
  /** Whether the caller's own rights count; otherwise the address must bring its own. */
  readonly isOwnEnough?: boolean;
}

export async function readCopySource(
  request: HttpRequest,
  services: FileServices,
  options: SourceOptions = {},
): Promise<CopySource> {
  const { header = "x-ms-copy-source" } = options;
  const url = readSourceUrl(requireHeader(request.headers, header), header, FILE_LIMITS.copySourceCharsMax);
  const shown = withoutSignature(url);
  const { isHere, isHostStyle } = locateSource(url, request, "file");
  if (!isHere) return { kind: "elsewhere", url, shown };
  const address = readAddress(`${url.pathname}${url.search}`, url.host, "file", isHostStyle);
  await checkAllowed(request, url, address, services, options);
  const keepsDots = readFlag(request.headers, "x-ms-source-allow-trailing-dot") ?? false;
  return { kind: "here", ref: { ...pathRefOf(address.target, keepsDots), ...snapshotOf(address) }, shown };
}

async function checkAllowed(
  request: HttpRequest,
  url: URL,
  { target, query }: Address,
  { auth }: FileServices,
  { permission = onNode(["r"]), isOwnEnough = true }: SourceOptions,
): Promise<void> {
  const { caller } = request;
  const token = request.headers["x-ms-copy-source-authorization"];
  const row = { resource: "file" as const, permission };
  const asked = {
    method: "GET",
    target,
    query,
    headers: {
      "x-ms-version": request.version,
      "x-ms-file-request-intent": request.headers["x-ms-file-request-intent"],
      authorization: token,
    },
    isSecure: url.protocol === "https:" || request.isSecure,
    remoteAddress: request.remoteAddress,
    version: request.version,
  };
  try {
    const isOwn =
      isOwnEnough && token === undefined && !query.has("sig") && caller.account === target.account;
    await authorize(isOwn ? caller : await authenticate(asked, auth), row, asked, auth);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw sourceRefusal(answerOf(error));
  }
}
