import { InvariantBroken } from "../../base/assert.ts";
import { LIMITS } from "../../base/limits.ts";
import { Refusal } from "../../base/refusals.ts";
import type { EntityChangeKind } from "../../concurrency/entity-conditions.ts";
import type { EntityChange } from "../../services/table/change-entity.ts";
import {
  ChangeRefused,
  entityGroupTransaction,
  tooManyChanges,
} from "../../services/table/entity-group-transaction.ts";
import type { TableRef } from "../../services/table/tables.ts";
import { refuseRepeated } from "../auth/authenticate.ts";
import { authorize } from "../auth/authorize.ts";
import type { Body, Headers, HttpReply, HttpRequest } from "../exchange.ts";
import type { Operation } from "../operation.ts";
import { decoded, readQuery } from "../query.ts";
import { Router } from "../router.ts";
import { parseTableBatch, printTableBatch, type SubReply, type TableBatch } from "../wire/batch.ts";
import { printODataJsonError } from "../wire/error-body.ts";
import type { SubRequest } from "../wire/multipart.ts";
import { JSON_TYPES } from "../wire/odata/formats.ts";
import { changeReply, readChange } from "./change-entity.ts";
import { boundsOf, COMMON_HEADERS, errorHeaders, resourceOfTables, withPreference } from "./read-request.ts";
import type { TableServices } from "./services.ts";

/** A row that a part may match; `change` is the kind of change it makes. */
export interface EntityOperation extends Operation<TableServices> {
  readonly change?: EntityChangeKind;
}

/**
 * POST /$batch: one change set, or one query. The outer request authenticates the caller; each part is
 * authorized on its own. If a part is refused, its refusal is the whole reply, and the change set has changed
 * nothing.
 */
export function handleEntityGroupTransaction(rows: readonly EntityOperation[]) {
  const router = new Router<TableServices>({
    service: "table",
    operations: rows,
    resourceOf: resourceOfTables,
    unknownOperation: "InvalidInput",
    unknownMethod: "MethodNotAllowed",
  });

  return async (request: HttpRequest, services: TableServices): Promise<HttpReply> => {
    const body = await request.body.read(LIMITS.multipartBytesMax);
    const batch = parseTableBatch(request.headers["content-type"], body);
    const replies = batch.isChangeSet
      ? await changeSet(request, services, batch, router)
      : [await query(request, services, batch.requests[0]!, router)];
    const ids = { batch: request.id, changeSet: request.id };
    const printed = printTableBatch(ids, replies, batch.isChangeSet);
    const headers = { ...COMMON_HEADERS, "Content-Type": printed.contentType };
    return { status: 202, headers, body: printed.body };
  };
}

interface Part {
  readonly request: HttpRequest;
  readonly ref: TableRef;
  readonly change: EntityChange;
}

async function changeSet(
  request: HttpRequest,
  { tables }: TableServices,
  { requests, isOverLimit }: TableBatch,
  router: Router<TableServices>,
): Promise<SubReply[]> {
  try {
    if (isOverLimit) throw new ChangeRefused(LIMITS.tableBatchRequestsMax - 1, tooManyChanges());
    const parts = requests.map((sub, index) => readPart(request, sub, index, router));
    checkSameTable(parts);
    const changes = parts.map(({ change }) => change);
    const changed = await entityGroupTransaction(tables, parts[0]!.ref, changes, boundsOf(request));
    return parts.map((part, index) =>
      named(asPart(changeReply(part.request, part.change, changed), part.change.kind), requests[index]!),
    );
  } catch (error) {
    if (!(error instanceof ChangeRefused)) throw error;
    return [refusedPart(request, error, requests)];
  }
}

function readPart(outer: HttpRequest, sub: SubRequest, index: number, router: Router<TableServices>): Part {
  try {
    const request = partRequest(outer, sub);
    const row = rowOf(request, router);
    if (row.change === undefined)
      throw new Refusal("InvalidInput", { text: "Only changes to entities may stand in a change set." });
    return { request, ...readChange(row.change, request, sub.body) };
  } catch (error) {
    throw error instanceof Refusal ? new ChangeRefused(index, error) : error;
  }
}

/** Partitions of two tables are different entity groups, even with the same key. */
function checkSameTable(parts: readonly Part[]): void {
  const name = parts[0]!.ref.table.toLowerCase();
  for (const [index, { ref }] of parts.entries()) {
    if (ref.table.toLowerCase() !== name)
      throw new ChangeRefused(index, new Refusal("CommandsInBatchActOnDifferentPartitions"));
  }
}

/** Only the Blob service has anything for anonymous callers. */
const NOTHING_PUBLIC = { publicAccess: async () => "none" as const };

/** The row that a part matches, if the caller is authorized for it. */
function rowOf(request: HttpRequest, router: Router<TableServices>): EntityOperation {
  const row = router.find(request);
  authorize(request.caller, row, request, NOTHING_PUBLIC);
  return row;
}

async function query(
  outer: HttpRequest,
  services: TableServices,
  sub: SubRequest,
  router: Router<TableServices>,
): Promise<SubReply> {
  try {
    const request = partRequest(outer, sub);
    const row = rowOf(request, router);
    if (row.change !== undefined)
      throw new Refusal("InvalidInput", { text: "A change must stand in a change set." });
    return named(asPart(await row.handle(request, services)), sub);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...errorPart(outer, numbered(error, 0), sub.headers), contentId: sub.contentId };
  }
}

/** The caller of the outer request, at the address of the part. Credentials inside a part are ignored. */
function partRequest(outer: HttpRequest, sub: SubRequest): HttpRequest {
  const { path, query: text } = partAddress(outer, sub.target);
  const target = { ...outer.target, path };
  const query = readQuery(text);
  if (query.repeated !== undefined) refuseRepeated({ query, target }, query.repeated);
  return {
    ...outer,
    method: sub.method,
    target,
    query,
    headers: { host: outer.headers.host, ...sub.headers },
    rawHeaders: sub.rawHeaders,
    body: bodyOf(sub.body),
  };
}

/** The address of a part: absolute or a path, with the account or, from some clients, without it. */
function partAddress({ target }: HttpRequest, text: string): { path: string; query: string } {
  const relative = text.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = relative.indexOf("?");
  let path = mark < 0 ? relative : relative.slice(0, mark);
  if (path.startsWith("/")) path = path.slice(1);
  if (target.isPathStyle) {
    const end = path.indexOf("/");
    const first = end < 0 ? "" : path.slice(0, end);
    if (first === target.account || first === `${target.account}-secondary`) path = path.slice(end + 1);
  }
  return { path: decoded(path), query: mark < 0 ? "" : relative.slice(mark + 1) };
}

function bodyOf(bytes: Buffer): Body {
  return {
    length: bytes.length,
    read: async () => bytes,
    stream: () => {
      throw new InvariantBroken("parts of a batch are read whole");
    },
  };
}

/** Only the parts of a batch name the version of OData. */
function asPart({ status, headers: own, body }: HttpReply, change?: EntityChangeKind): SubReply {
  const isNew = change === undefined || change === "insert";
  const headers = { ...own, DataServiceVersion: isNew ? "3.0;" : "1.0;" };
  if (body === undefined) return { status, headers };
  if (typeof body === "string" || Buffer.isBuffer(body)) return { status, headers, body };
  throw new InvariantBroken("replies of the Table service are not streamed");
}

/** Repeats the Content-ID in the place where the request has it: around the part or among its headers. */
function named(reply: SubReply, { contentId, headers }: SubRequest): SubReply {
  const own = headers["content-id"];
  if (own === undefined) return { ...reply, contentId };
  return { ...reply, contentId, headers: { "Content-ID": own, ...reply.headers } };
}

/** The one part of the reply to a refused change set: the refusal, with the index of its change. */
function refusedPart(
  outer: HttpRequest,
  { index, refusal }: ChangeRefused,
  requests: readonly SubRequest[],
): SubReply {
  // Azure omits the index for these if the change set has one change only.
  const isBare = requests.length === 1 && UNNUMBERED.has(refusal.code);
  return errorPart(outer, isBare ? refusal : numbered(refusal, index), requests[index]?.headers);
}

const UNNUMBERED: ReadonlySet<string> = new Set([
  "EntityAlreadyExists",
  "UpdateConditionNotSatisfied",
  "ResourceNotFound",
]);

function numbered({ code, detail, row }: Refusal, index: number): Refusal {
  return new Refusal(code, { ...detail, text: `${index}:${detail.text ?? row.text}` });
}

function errorPart(outer: HttpRequest, refusal: Refusal, headers: Headers = {}): SubReply {
  const { code } = refusal;
  return {
    status: refusal.row.http,
    headers: {
      // In a change set, malformed input is found by the operation.
      ...(code === "InvalidInput" ? withPreference(headers.prefer) : errorHeaders(code, headers.prefer)),
      DataServiceVersion: "3.0;",
      "Content-Type": JSON_TYPES.minimal,
    },
    body: printODataJsonError(refusal, {
      requestId: outer.id,
      version: outer.version,
      time: outer.receivedAt,
    }),
  };
}
