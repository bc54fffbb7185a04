import { Refusal } from "../../base/refusals.ts";
import { TABLE_LIMITS } from "../../services/table/limits.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { parseTableItem } from "../wire/odata/address.ts";
import { parseToken, printToken } from "../wire/odata/continuation.ts";
import { checkContentType, type MetadataLevel } from "../wire/odata/formats.ts";
import { malformedJson, readFlatObject } from "../wire/odata/json-reader.ts";
import { bodyOf, PrintedPage } from "../wire/printed-page.ts";
import {
  baseOf,
  COMMON_HEADERS,
  jsonHeaders,
  levelOf,
  preferenceOf,
  readFilter,
  readTop,
  refuseUnknownOptions,
} from "./exchange.ts";
import type { TableServices } from "./operations.ts";

/** GET /Tables */
export async function queryTables(request: HttpRequest, { tables }: TableServices): Promise<HttpReply> {
  const { query, target } = request;
  refuseUnknownOptions(query);
  const level = levelOf(request);
  const base = baseOf(request);
  const from = query.get("nexttablename");
  const top = readTop(query);
  const print = (name: string, index: number): string =>
    `${index === 0 ? "" : ","}{${tableMembers(level, base, target.account, name)}}`;
  const { page, next } = await tables.queryTables({
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

/** GET /Tables('name') */
export async function getTable(request: HttpRequest, { tables }: TableServices): Promise<HttpReply> {
  const { account, path } = request.target;
  const level = levelOf(request);
  const name = await tables.getTable({ account, table: parseTableItem(path) });
  return { status: 200, headers: jsonHeaders(level), body: printTable(level, request, name) };
}

/** POST /Tables */
export async function createTable(request: HttpRequest, { tables }: TableServices): Promise<HttpReply> {
  const level = levelOf(request);
  checkContentType(request.headers["content-type"]);
  const name = readTableName(await request.body.read(TABLE_LIMITS.bodyBytesMax));
  await tables.createTable({ account: request.target.account, table: name });
  const preference = preferenceOf(request.headers.prefer);
  const location = `${baseOf(request)}/Tables('${name}')`;
  if (preference === "return-no-content") {
    const headers = {
      ...COMMON_HEADERS,
      "Preference-Applied": preference,
      DataServiceVersion: "3.0;",
      Location: location,
      DataServiceId: location,
    };
    return { status: 204, headers };
  }
  const headers = { ...jsonHeaders(level), "Preference-Applied": preference, Location: location };
  return { status: 201, headers, body: printTable(level, request, name) };
}

function readTableName(body: Buffer): string {
  const value = readFlatObject(body).members.find(({ name }) => name === "TableName")?.value;
  if (value === undefined || value.kind === "null") throw new Refusal("PropertiesNeedValue");
  if (value.kind !== "string") throw malformedJson();
  return value.text;
}

function printTable(level: MetadataLevel, request: HttpRequest, name: string): string {
  const base = baseOf(request);
  const metadata = JSON.stringify(`${base}/$metadata#Tables/@Element`);
  const head = level === "none" ? "" : `"odata.metadata":${metadata},`;
  return `{${head}${tableMembers(level, base, request.target.account, name)}}`;
}

function tableMembers(level: MetadataLevel, base: string, account: string, name: string): string {
  const link = `Tables('${name}')`;
  const metadata =
    level === "full"
      ? `"odata.type":"${account}.Tables","odata.id":"${base}/${link}","odata.editLink":"${link}",`
      : "";
  return `${metadata}"TableName":"${name}"`;
}

/** DELETE /Tables('name') */
export async function deleteTable({ target }: HttpRequest, { tables }: TableServices): Promise<HttpReply> {
  await tables.deleteTable({ account: target.account, table: parseTableItem(target.path) });
  return { status: 204, headers: COMMON_HEADERS };
}
