import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { authenticate } from "../auth/authenticate.ts";
import { authorize } from "../auth/authorize.ts";
import type { Body, HttpReply, HttpRequest } from "../exchange.ts";
import type { Operation } from "../operation.ts";
import { Router } from "../router.ts";
import { readAddress } from "../target.ts";
import { parseBlobBatch, printBlobBatch, type SubReply } from "../wire/batch.ts";
import { CheckedBody } from "../wire/digest.ts";
import { errorCodeOf, printError, reasonOf } from "../wire/error-body.ts";
import { malformedBatch, type SubRequest } from "../wire/multipart.ts";
import { withoutNewer } from "../wire/since.ts";
import { readContainerRef } from "./read-request.ts";
import type { BlobServices } from "./services.ts";

/** The operations that a part of a batch may request, and the container that all parts must name, if any. */
interface BatchScope {
  readonly router: Router<BlobServices>;
  readonly container: string | undefined;
}

/**
 * POST ?comp=batch: up to 256 deletions, or as many changes of tier, in one request. Each part has its own
 * credentials, is authorized by the row of its operation, and has its own reply. The parts run concurrently.
 */
export function submitBatchHandlers(operations: readonly Operation<BlobServices>[]) {
  const router = new Router<BlobServices>({
    service: "blob",
    operations,
    resourceOf: () => "blob",
    unknownOperation: "InvalidInput",
  });
  return {
    handleSubmitBatch: (request: HttpRequest, services: BlobServices): Promise<HttpReply> =>
      submit(request, services, { router, container: undefined }),
    handleSubmitContainerBatch: async (request: HttpRequest, services: BlobServices): Promise<HttpReply> =>
      submit(request, services, { router, container: readContainerRef(request).container }),
  };
}

async function submit(request: HttpRequest, services: BlobServices, scope: BatchScope): Promise<HttpReply> {
  const body = await request.body.read(LIMITS.multipartBytesMax);
  const replies = await answers(request, services, { ...scope, body });
  const printed = printBlobBatch(services.blobs.random.uuid(), replies);
  return { status: 202, headers: { "Content-Type": printed.contentType }, body: printed.body };
}

/**
 * A batch with too many parts, with parts of two kinds, or of a container and with a part about another one,
 * gets 202 with one part that refuses the whole batch. The .NET and JavaScript clients expect exactly this
 * reply of Azure.
 */
const ONE_FOR_ALL = new Set(["ExceedsMaxBatchRequestCount", "AllBatchSubRequestsShouldBeSameApi"]);

async function answers(
  request: HttpRequest,
  services: BlobServices,
  batch: BatchScope & { readonly body: Buffer },
): Promise<SubReply[]> {
  try {
    const parts = readBatch(request, batch);
    const { container } = batch;
    if (container !== undefined && parts.some((part) => !isInside(part, container)))
      return [refusalReply(request, undefined, malformedBatch("A part is about another container."))];
    return await Promise.all(parts.map((part) => answer(request, services, part)));
  } catch (error) {
    if (!(error instanceof Refusal) || !ONE_FOR_ALL.has(error.code)) throw error;
    return [refusalReply(request, undefined, error)];
  }
}

function readBatch(request: HttpRequest, { body, router }: BatchScope & { readonly body: Buffer }): Part[] {
  const parts = parseBlobBatch(request.headers["content-type"], body).map((part) =>
    prepare(request, part, router),
  );
  if (new Set(parts.map(({ operation }) => operation.method)).size > 1) {
    throw new Refusal("AllBatchSubRequestsShouldBeSameApi");
  }
  return parts;
}

function isInside({ request }: Part, container: string): boolean {
  return request.target.path.startsWith(`${container}/`);
}

interface Part {
  readonly contentId: string | undefined;
  readonly operation: Operation<BlobServices>;
  readonly request: Omit<HttpRequest, "caller">;
}

const NO_BODY: Body = {
  length: 0,
  stream: () => new CheckedBody(nothing(), { declared: {} }),
  read: async () => Buffer.alloc(0),
};

async function* nothing(): AsyncGenerator<Buffer> {}

function prepare(request: HttpRequest, part: SubRequest, router: Router<BlobServices>): Part {
  const { target, query } = addressOf(request, part.target);
  const operation = router.find({ ...part, target, query });
  const { headers, rawHeaders, method, contentId } = part;
  const inner = { ...request, method, target, query, headers, rawHeaders, body: NO_BODY };
  return { contentId, operation, request: inner };
}

/** Some SDKs leave the account out of the paths of parts, although the address of the batch has it. */
function addressOf({ target: { account, isPathStyle } }: HttpRequest, text: string) {
  const path = text.replace(/^https?:\/\/[^/?]*/i, "");
  const rooted = path.startsWith("/") ? path : `/${path}`;
  const [first, ...rest] = rooted.slice(1).split("?")[0]!.split("/");
  const hasAccount = isPathStyle && first === account && rest.length > 1;
  const read = readAddress(hasAccount ? rooted : `/${account}${rooted}`, undefined, "blob", false);
  const rawPath = rooted.split("?")[0]!;
  return { ...read, target: { ...read.target, rawPath, isPathStyle: hasAccount } };
}

async function answer(
  outer: HttpRequest,
  services: BlobServices,
  { contentId, operation, request }: Part,
): Promise<SubReply> {
  try {
    const caller = await authenticate(request, services.auth);
    await authorize(caller, operation, request, services.auth);
    const { status, headers } = await operation.handle({ ...request, caller }, services);
    return { contentId, status, headers: { ...headers, ...commonHeaders(outer) } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusalReply(outer, contentId, error);
  }
}

function refusalReply(request: HttpRequest, contentId: string | undefined, error: Refusal): SubReply {
  const { contentType, body } = printError(error, "xml", {
    requestId: request.id,
    version: request.version,
    time: request.receivedAt,
  });
  const headers = {
    "x-ms-error-code": errorCodeOf(error),
    ...withoutNewer(request.version, error.detail.headers),
    ...commonHeaders(request),
    "Content-Length": String(Buffer.byteLength(body)),
    "Content-Type": contentType,
  };
  return { contentId, status: error.row.http, reason: reasonOf(error, false), headers, body };
}

function commonHeaders({ id, version }: HttpRequest): Record<string, string | undefined> {
  return { "x-ms-request-id": id, "x-ms-version": version || undefined, Server: "Holdfast" };
}
