import type { Property } from "../../base/edm.ts";
import { printEntityAddress } from "../../http/wire/odata/address.ts";
import { readEntity } from "../../http/wire/odata/entity-reader.ts";
import { printTicks } from "../../http/wire/odata/times.ts";
import type { CopyContext } from "./copy-context.ts";
import { splitObjects } from "./split-objects.ts";

/** Tables and their entities. Each entity is inserted or replaced, so a second run may repeat it. */
const JSON_TYPE = "application/json";
const NEXT = "x-ms-continuation-";

export async function copyTables(context: CopyContext): Promise<void> {
  for await (const table of tablesOf(context))
    await context.attempt(`table ${table}`, () => copyTable(context, table));
}

async function* tablesOf({ source }: CopyContext): AsyncGenerator<string> {
  let next: string | undefined;
  do {
    const { body, headers } = await source.send({
      method: "GET",
      service: "table",
      path: "Tables",
      query: { NextTableName: next },
      headers: { accept: `${JSON_TYPE};odata=nometadata` },
    });
    const { value } = JSON.parse(body.toString("utf8")) as { value: readonly { TableName: string }[] };
    for (const { TableName } of value) yield TableName;
    next = headers[`${NEXT}nexttablename`];
  } while (next !== undefined);
}

async function copyTable(context: CopyContext, table: string): Promise<void> {
  await context.create({
    method: "POST",
    service: "table",
    path: "Tables",
    headers: {
      "content-type": JSON_TYPE,
      accept: `${JSON_TYPE};odata=nometadata`,
      prefer: "return-no-content",
    },
    body: JSON.stringify({ TableName: table }),
  });
  await context.attempt(`the access policies of ${table}`, () => context.copyAcl("table", table));
  context.report.add(0);
  await context.each(
    entitiesOf(context, table),
    () => `an entity of ${table}`,
    (entity) => copyEntity(context, table, entity),
  );
}

async function* entitiesOf({ source }: CopyContext, table: string): AsyncGenerator<Buffer> {
  let next: { NextPartitionKey: string | undefined; NextRowKey: string | undefined } | undefined;
  do {
    const { body, headers } = await source.send({
      method: "GET",
      service: "table",
      path: `${table}()`,
      query: { ...next },
      headers: { accept: `${JSON_TYPE};odata=minimalmetadata` },
    });
    yield* splitObjects(body);
    const [NextPartitionKey, NextRowKey] = [headers[`${NEXT}nextpartitionkey`], headers[`${NEXT}nextrowkey`]];
    next = NextPartitionKey === undefined ? undefined : { NextPartitionKey, NextRowKey };
  } while (next !== undefined);
}

async function copyEntity({ target, report }: CopyContext, table: string, json: Buffer): Promise<void> {
  const { partitionKey, rowKey, properties } = readEntity(json);
  if (partitionKey === undefined || rowKey === undefined) throw new Error("it has no keys");
  const fields: Record<string, unknown> = { PartitionKey: partitionKey, RowKey: rowKey };
  for (const property of properties) putProperty(fields, property);
  const body = JSON.stringify(fields);
  await target.send({
    method: "PUT",
    service: "table",
    path: printEntityAddress(table, { partitionKey, rowKey }),
    headers: { "content-type": JSON_TYPE, accept: `${JSON_TYPE};odata=nometadata` },
    body,
  });
  report.add(Buffer.byteLength(body));
}

/** With its type, where JSON has none of its own. */
function putProperty(fields: Record<string, unknown>, { name, type, value }: Property): void {
  if (type !== "String" && type !== "Int32" && type !== "Boolean")
    fields[`${name}@odata.type`] = `Edm.${type}`;
  switch (type) {
    case "Int64":
      fields[name] = String(value);
      break;
    case "Double":
      fields[name] = Number.isFinite(value) ? value : String(value);
      break;
    case "DateTime":
      fields[name] = printTicks(value);
      break;
    case "Binary":
      fields[name] = value.toString("base64");
      break;
    default:
      fields[name] = value;
  }
}
