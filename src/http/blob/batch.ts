import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import { authenticate } from "../auth/authenticate.ts";
import { authorize } from "../auth/authorize.ts";
import type { Body, HttpReply, HttpRequest } from "../exchange.ts";
import { Router } from "../router.ts";
import { readAddress } from "../target.ts";
import { parseBlobBatch, printBlobBatch, type SubReply } from "../wire/batch.ts";
import { CheckedBody } from "../wire/digest.ts";
import { errorCodeOf, printError, reasonOf } from "../wire/error-body.ts";
import { malformedBatch, type SubRequest } from "../wire/multipart.ts";
import { DELETE_BLOB_ROWS } from "./delete-blob.ts";
import { readContainerRef } from "./read-request.ts";
import { type BlobRow, type BlobServices, row } from "./rows.ts";
import { TAGS_AND_TIER_ROWS } from "./tags-and-tier.ts";

/**
 * Blob batch: up to 256 deletions, or as many changes of tier, in one request. Each part is a request of its own:
 * it proves who sends it, is judged by the row of its operation, and has its own answer. They stand side by side,
 * not one after the other, and none waits for another.
 */
const PARTS = new Router<BlobServices>({
  service: "blob",
  operations: [
    ...DELETE_BLOB_ROWS.filter(({ method }) => method === "DELETE"),
    ...TAGS_AND_TIER_ROWS.filter(({ name }) => name === "SetBlobTier"),
  ],
  resourceOf: () => "blob",
  unknownOperation: "InvalidInput",
});

async function submitBatch(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  return submit(request, services, undefined);
}

async function submitContainerBatch(request: HttpRequest, services: BlobServices): Promise<HttpReply> {
  return submit(request, services, readContainerRef(request).container);
}

async function submit(
  request: HttpRequest,
  services: BlobServices,
  container: string | undefined,
): Promise<HttpReply> {
  const body = await request.body.read(LIMITS.multipartBytesMax);
  const replies = await answers(request, services, { body, container });
  const printed = printBlobBatch(services.blobs.parts.random.uuid(), replies);
  return { status: 202, headers: { "Content-Type": printed.contentType }, body: printed.body };
}

/**
 * A well-formed batch that asks for too much, or for two kinds of things, is accepted with one part which refuses
 * them all: that is how the service says it, and .NET and JavaScript clients look for exactly that.
 */
const ONE_FOR_ALL = new Set(["ExceedsMaxBatchRequestCount", "AllBatchSubRequestsShouldBeSameApi"]);

async function answers(
  request: HttpRequest,
  services: BlobServices,
  batch: { readonly body: Buffer; readonly container: string | undefined },
): Promise<SubReply[]> {
  try {
    const parts = readBatch(request, batch);
    return await Promise.all(parts.map((part) => answer(request, services, part)));
  } catch (error) {
    if (!(error instanceof Refusal) || !ONE_FOR_ALL.has(error.code)) throw error;
    return [refusalReply(request, undefined, error)];
  }
}

function readBatch(
  request: HttpRequest,
  { body, container }: { readonly body: Buffer; readonly container: string | undefined },
): Part[] {
  const parts = parseBlobBatch(request.headers["content-type"], body).map((part) => prepare(request, part));
  if (new Set(parts.map(({ operation }) => operation.method)).size > 1) {
    throw new Refusal("AllBatchSubRequestsShouldBeSameApi");
  }
  if (container !== undefined && parts.some(({ asked }) => !asked.target.path.startsWith(`${container}/`))) {
    throw malformedBatch("A part is about another container.");
  }
  return parts;
}

interface Part {
  readonly contentId: string | undefined;
  readonly operation: BlobRow;
  readonly asked: Omit<HttpRequest, "caller">;
}

const NO_BODY: Body = {
  length: 0,
  stream: () => new CheckedBody(nothing(), { declared: {} }),
  read: async () => Buffer.alloc(0),
};

async function* nothing(): AsyncGenerator<Buffer> {}

function prepare(request: HttpRequest, part: SubRequest): Part {
  const { target, query } = addressOf(request, part.target);
  const operation = PARTS.find(part.method, target.path, query, part.headers);
  const { headers, rawHeaders, method } = part;
  const asked = { ...request, method, target, query, headers, rawHeaders, body: NO_BODY };
  return { contentId: part.contentId, operation, asked };
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
  request: HttpRequest,
  services: BlobServices,
  { contentId, operation, asked }: Part,
): Promise<SubReply> {
  try {
    const caller = await authenticate(asked, services.auth);
    await authorize(caller, operation, asked, services.auth);
    const { status, headers } = await operation.handle({ ...asked, caller }, services);
    return { contentId, status, headers: { ...headers, ...commonHeaders(request) } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusalReply(request, contentId, error);
  }
}

function refusalReply(request: HttpRequest, contentId: string | undefined, error: Refusal): SubReply {
  const { contentType, body } = printError(error, "xml", {
    requestId: request.id,
    time: request.receivedAt,
  });
  const headers = {
    "x-ms-error-code": errorCodeOf(error),
    ...error.detail.headers,
    ...commonHeaders(request),
    "Content-Length": String(Buffer.byteLength(body)),
    "Content-Type": contentType,
  };
  return { contentId, status: error.row.http, reason: reasonOf(error, false), headers, body };
}

function commonHeaders({ id, version }: HttpRequest): Record<string, string | undefined> {
  return { "x-ms-request-id": id, "x-ms-version": version || undefined, Server: "Holdfast" };
}

/** Who may send a batch: anyone with a right at all. What counts is what its parts may do. */
const ANY = [..."rwdxylacuptfi"];

const common = {
  method: "POST",
  body: "multipart",
  bodyBytesMax: LIMITS.multipartBytesMax,
  ok: [202],
} as const;

export const BATCH_ROWS: readonly BlobRow[] = [
  row({
    ...common,
    name: "SubmitBatch",
    resource: "service",
    query: { comp: "batch" },
    permission: { type: "sco", account: ANY, service: [] },
    handle: submitBatch,
  }),
  row({
    ...common,
    // The JavaScript SDK takes the account in a path-style address for a container, and says so.
    name: "SubmitBatchAsOfContainer",
    resource: "service",
    query: { restype: "container", comp: "batch" },
    permission: { type: "sco", account: ANY, service: [] },
    handle: submitBatch,
  }),
  row({
    ...common,
    name: "SubmitContainerBatch",
    resource: "container",
    query: { restype: "container", comp: "batch" },
    permission: { type: "sco", account: ANY, service: ANY },
    handle: submitContainerBatch,
  }),
];
