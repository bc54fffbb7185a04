import { badHeader, Refusal } from "../../base/refusals.ts";
import type { EntityChangeKind, IfMatch } from "../../concurrency/entity-conditions.ts";
import { type Changed, changeEntity, type EntityChange } from "../../services/table/change-entity.ts";
import { TABLE_LIMITS } from "../../services/table/limits.ts";
import { requireTable, type TableRef } from "../../services/table/tables.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { parseEntityAddress, printEntityAddress, tableOfPath } from "../wire/odata/address.ts";
import { printEntity } from "../wire/odata/entity-printer.ts";
import { readEntity } from "../wire/odata/entity-reader.ts";
import { checkContentType } from "../wire/odata/formats.ts";
import { parseEntityEtag, printEntityEtag, printTicks } from "../wire/odata/times.ts";
import { baseOf, boundsOf, COMMON_HEADERS, jsonHeaders, levelOf, preferenceOf } from "./read-request.ts";
import type { TableServices } from "./services.ts";

/** A change, sent as a request of its own or as a part of a transaction. */
export interface SentChange {
  readonly ref: TableRef;
  readonly change: EntityChange;
}

export type ChangeRequest = Pick<HttpRequest, "target" | "headers" | "query" | "version" | "isSecure">;

export function handleChangeEntity(kind: EntityChangeKind) {
  return async (request: HttpRequest, { tables }: TableServices): Promise<HttpReply> => {
    const body = kind === "delete" ? NOTHING : await request.body.read(TABLE_LIMITS.bodyBytesMax);
    const sent = readSent(kind, request, body);
    // A missing table is refused before a malformed change.
    if (sent instanceof Refusal) return refuseChange(request, tables, sent);
    const changed = await changeEntity(tables, sent.ref, sent.change, boundsOf(request));
    return changeReply(request, sent.change, changed);
  };
}

const NOTHING = Buffer.alloc(0);
const NO_CONTENTS = { properties: [], isPlain: true } as const;

function readSent(kind: EntityChangeKind, request: ChangeRequest, body: Buffer): SentChange | Refusal {
  try {
    return readChange(kind, request, body);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

async function refuseChange(
  { target }: ChangeRequest,
  tables: TableServices["tables"],
  refusal: Refusal,
): Promise<never> {
  await requireTable(tables, { account: target.account, table: tableOfPath(target.path) });
  throw refusal;
}

export function readChange(kind: EntityChangeKind, request: ChangeRequest, body: Buffer): SentChange {
  const { target, headers } = request;
  const { table, keys } = parseEntityAddress(target.path);
  const ref = { account: target.account, table };
  const ifMatch = readIfMatch(kind, headers);
  if (kind === "delete") return { ref, change: { kind, ifMatch, ...keys!, ...NO_CONTENTS } };
  checkContentType(headers["content-type"]);
  const sent = readEntity(body);
  const { properties, isPlain } = sent;
  if (keys === undefined) {
    const { partitionKey, rowKey } = sent;
    if (partitionKey === undefined || rowKey === undefined) throw new Refusal("PropertiesNeedValue");
    return { ref, change: { kind, ifMatch, partitionKey, rowKey, properties, isPlain } };
  }
  // The body may repeat the keys of the address, but not contradict them.
  if ((sent.partitionKey ?? keys.partitionKey) !== keys.partitionKey) throw keyMismatch("PartitionKey");
  if ((sent.rowKey ?? keys.rowKey) !== keys.rowKey) throw keyMismatch("RowKey");
  const { partitionKey, rowKey } = keys;
  return { ref, change: { kind, ifMatch, partitionKey, rowKey, properties, isPlain } };
}

function keyMismatch(name: string): Refusal {
  return new Refusal("InvalidInput", {
    text: `The ${name} in the body is not the one in the address of the entity.`,
  });
}

function readIfMatch(kind: EntityChangeKind, headers: Headers): IfMatch | undefined {
  if (kind === "insert") return undefined;
  const etag = headers["if-match"];
  if (headers["if-none-match"] !== undefined)
    throw new Refusal("InvalidInput", {
      text:
        etag === undefined
          ? "If-None-Match HTTP header is not supported for this operation."
          : "Both If-Match and If-None-Match HTTP headers cannot be specified at the same time.",
    });
  if (etag === undefined) {
    if (kind === "delete") throw badHeader("If-Match", "", "MissingRequiredHeader");
    return undefined;
  }
  const ifMatch = parseEntityEtag(etag.trim());
  if (ifMatch === undefined)
    throw new Refusal("InvalidInput", {
      text: `The etag value '${etag.slice(0, TABLE_LIMITS.errorQuoteCharsMax)}' specified in one of the request headers is not valid. Please make sure only one etag value is specified and is valid.`,
    });
  return ifMatch;
}

/** The reply to a change that was made. */
export function changeReply(
  request: HttpRequest,
  change: EntityChange,
  { revision, table }: Changed,
): HttpReply {
  if (change.kind === "delete") return { status: 204, length: 0, headers: COMMON_HEADERS };
  const timestamp = printTicks(revision);
  const etag = printEntityEtag(timestamp);
  if (change.kind !== "insert") {
    return {
      status: 204,
      length: 0,
      headers: {
        "Cache-Control": "no-cache",
        "X-Content-Type-Options": "nosniff",
        ETag: etag,
      },
    };
  }
  const base = baseOf(request);
  const location = `${base}/${printEntityAddress(table, change)}`;
  const preference = preferenceOf(request.headers.prefer);
  if (preference === "return-no-content") {
    const headers = {
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
      "Preference-Applied": preference,
      Location: location,
      DataServiceId: location,
      ETag: etag,
    };
    return { status: 204, length: 0, headers };
  }
  const level = levelOf(request);
  const context = { level, base, account: request.target.account, table, select: undefined };
  const headers = {
    ...jsonHeaders(level),
    "Preference-Applied": preference,
    Location: location,
    ETag: etag,
  };
  return { status: 201, headers, body: printEntity(context, { ...change, revision }, timestamp) };
}
