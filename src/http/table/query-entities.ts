import { TABLE_LIMITS } from "../../services/table/limits.ts";
import { type EntityPage, getEntity, queryEntities } from "../../services/table/query-entities.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { parseEntityAddress, tableOfPath } from "../wire/odata/address.ts";
import { parseToken, printToken } from "../wire/odata/continuation.ts";
import { EntitiesPage, printEntity } from "../wire/odata/entity-printer.ts";
import { JSON_TYPES } from "../wire/odata/formats.ts";
import { printEntityEtag, printTicks } from "../wire/odata/times.ts";
import {
  baseOf,
  boundsOf,
  jsonHeaders,
  levelOf,
  readFilter,
  readSelect,
  readTop,
  refuseUnknownOptions,
} from "./read-request.ts";
import type { TableServices } from "./services.ts";

/** GET /{table}(PartitionKey='..',RowKey='..') */
export async function handleGetEntity(request: HttpRequest, { tables }: TableServices): Promise<HttpReply> {
  const { account, path } = request.target;
  const level = levelOf(request);
  const { table, keys } = parseEntityAddress(path);
  const select = request.query.pairs.length === 0 ? undefined : readSelect(request.query);
  const found = await getEntity(tables, { account, table }, keys!, boundsOf(request));
  const { entity } = found;
  const timestamp = printTicks(entity.revision);
  const context = { level, base: baseOf(request), account, table: found.table, select };
  return {
    status: 200,
    headers: {
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
      "Content-Type": JSON_TYPES[level],
      ETag: printEntityEtag(timestamp),
    },
    body: printEntity(context, entity, timestamp),
  };
}

/** GET /{table}() */
export async function handleQueryEntities(
  request: HttpRequest,
  { tables }: TableServices,
): Promise<HttpReply> {
  const { query, target } = request;
  refuseUnknownOptions(query);
  const level = levelOf(request);
  const select = readSelect(query);
  const top = readTop(query);
  const base = baseOf(request);
  const contextOf = (table: string) => ({ level, base, account: target.account, table, select });
  const { page, next } = await queryEntities(
    tables,
    { account: target.account, table: tableOfPath(target.path) },
    {
      newPage: (table) => new EntitiesPage(contextOf(table), top ?? TABLE_LIMITS.pageEntitiesMax),
      filter: readFilter(query),
      top,
      from: readPlace(request),
      bounds: boundsOf(request),
    },
  );
  return { status: 200, headers: { ...jsonHeaders(level), ...continuationOf(next) }, body: page.body() };
}

function readPlace({ query }: HttpRequest) {
  const partition = query.get("nextpartitionkey");
  if (partition === undefined || partition === "") return undefined;
  const row = query.get("nextrowkey");
  return {
    partitionKey: parseToken(partition),
    rowKey: row === undefined || row === "" ? undefined : parseToken(row),
  };
}

function continuationOf(next: EntityPage<never>["next"]) {
  if (next === undefined) return {};
  return {
    "x-ms-continuation-NextPartitionKey": printToken(next.partitionKey),
    "x-ms-continuation-NextRowKey": printToken(next.rowKey),
  };
}
