import type { HttpRequest } from "../exchange.ts";
import type { MetadataLevel } from "../wire/odata/formats.ts";
import { baseOf } from "./read-request.ts";

/** One table in JSON, as a reply of its own. */
export function printTable(level: MetadataLevel, request: HttpRequest, name: string): string {
  const base = baseOf(request);
  const metadata = JSON.stringify(`${base}/$metadata#Tables/@Element`);
  const head = level === "none" ? "" : `"odata.metadata":${metadata},`;
  return `{${head}${tableMembers(level, base, request.target.account, name)}}`;
}

/** The members of a table in JSON, between the braces. */
export function tableMembers(level: MetadataLevel, base: string, account: string, name: string): string {
  const link = `Tables('${name}')`;
  const metadata =
    level === "full"
      ? `"odata.type":"${account}.Tables","odata.id":"${base}/${link}","odata.editLink":"${link}",`
      : "";
  return `${metadata}"TableName":"${name}"`;
}
