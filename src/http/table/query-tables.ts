import { TABLE_LIMITS } from "../../services/table/limits.ts";
import { queryTables } from "../../services/table/query-tables.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { parseToken, printToken } from "../wire/odata/continuation.ts";
import { bodyOf, PrintedPage } from "../wire/printed-page.ts";
import { baseOf, jsonHeaders, levelOf, readFilter, readTop, refuseUnknownOptions } from "./read-request.ts";
import type { TableServices } from "./services.ts";
import { tableMembers } from "./table-json.ts";

/** GET /Tables */
export async function handleQueryTables(request: HttpRequest, { tables }: TableServices): Promise<HttpReply> {
  const { query, target } = request;
  refuseUnknownOptions(query);
  const level = levelOf(request);
  const base = baseOf(request);
  const from = query.get("nexttablename");
  const top = readTop(query);
  const print = (name: string, index: number): string =>
    `${index === 0 ? "" : ","}{${tableMembers(level, base, target.account, name)}}`;
  const { page, next } = await queryTables(tables, {
    account: target.account,
    newPage: () => new PrintedPage(print, { countMax: top ?? TABLE_LIMITS.pageEntitiesMax }),
    filter: readFilter(query),
    top,
    from: from === undefined || from === "" ? undefined : parseToken(from),
  });
  const head = level === "none" ? "" : `"odata.metadata":${JSON.stringify(`${base}/$metadata#Tables`)},`;
  const headers = {
    ...jsonHeaders(level),
    "x-ms-continuation-NextTableName": next === undefined ? undefined : printToken(next),
  };
  return { status: 200, headers, body: bodyOf(`{${head}"value":[`, page, "]}") };
}
