import { Refusal } from "../../base/refusals.ts";
import { createTable } from "../../services/table/create-table.ts";
import { TABLE_LIMITS } from "../../services/table/limits.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { checkContentType } from "../wire/odata/formats.ts";
import { malformedJson, readFlatObject } from "../wire/odata/json-reader.ts";
import { baseOf, COMMON_HEADERS, jsonHeaders, levelOf, preferenceOf } from "./read-request.ts";
import type { TableServices } from "./services.ts";
import { printTable } from "./table-json.ts";

/** POST /Tables */
export async function handleCreateTable(request: HttpRequest, { tables }: TableServices): Promise<HttpReply> {
  const level = levelOf(request);
  checkContentType(request.headers["content-type"]);
  const name = readTableName(await request.body.read(TABLE_LIMITS.bodyBytesMax));
  await createTable(tables, { account: request.target.account, table: name });
  const preference = preferenceOf(request.headers.prefer);
  const location = `${baseOf(request)}/Tables('${name}')`;
  if (preference === "return-no-content") {
    const headers = {
      ...COMMON_HEADERS,
      "Preference-Applied": preference,
      Location: location,
      DataServiceId: location,
    };
    return { status: 204, length: 0, headers };
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
