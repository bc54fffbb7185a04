import { Refusal } from "../../base/refusals.ts";
import { getServiceProperties } from "../../services/account/get-service-properties.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { readQuery } from "../query.ts";
import { handleGetBlob, handleGetBlobProperties } from "./get-blob.ts";
import type { BlobServices } from "./services.ts";

/** The headers of a browser that count. */
const USED_HEADERS = ["range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];

/**
 * The static website of an account: anonymous GET and HEAD of the blobs in $web, if the service properties
 * enable it. The reply for a folder is its index document, for a missing blob the error document.
 */
export async function handleGetWebsite(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  const { account, path } = request.target;
  if (services.auth.accounts.find(account) === undefined) throw new Refusal("WebsiteNotEnabled");
  const { staticWebsite } = await getServiceProperties(services.properties, account, "blob");
  if (staticWebsite?.isEnabled !== true) throw new Refusal("WebsiteNotEnabled");
  const { indexDocument, defaultIndexDocumentPath, errorDocument404Path } = staticWebsite;
  const isFolder = path === "" || path.endsWith("/");
  const index =
    path === "" && defaultIndexDocumentPath !== undefined ? defaultIndexDocumentPath : indexDocument;
  const name = isFolder ? `${path}${index ?? ""}` : path;
  const found = name === "" ? undefined : await serve(request, services, name, pick(request.headers));
  if (found !== undefined) return found;
  // The error document is sent whole, whichever range the client requested.
  const page =
    errorDocument404Path === undefined ? undefined : await serve(request, services, errorDocument404Path, {});
  if (page === undefined) throw new Refusal("WebContentNotFound");
  return { ...page, status: 404 };
}

async function serve(
  request: HttpRequest,
  services: BlobServices,
  name: string,
  headers: Headers,
): Promise<HttpReply | undefined> {
  const path = `$web/${name.startsWith("/") ? name.slice(1) : name}`;
  const inner = { ...request, target: { ...request.target, path }, query: readQuery(""), headers };
  try {
    return await (request.method === "HEAD" ? handleGetBlobProperties : handleGetBlob)(inner, services);
  } catch (error) {
    if (error instanceof Refusal && error.row.http === 404) return undefined;
    throw error;
  }
}

function pick(headers: Headers): Headers {
  return Object.fromEntries(USED_HEADERS.map((name) => [name, headers[name]]));
}
