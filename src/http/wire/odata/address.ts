import type { EntityKeys } from "../../../base/edm.ts";
import { Refusal } from "../../../base/refusals.ts";
import type { ResourceKind } from "../../operation.ts";

/**
 * Addresses below the account, decoded:
 *
 *   Tables    Tables('name')    $batch    name    name()    name(PartitionKey='p',RowKey='r')
 *
 * A quote within a key is doubled.
 */
export interface EntityAddress {
  readonly table: string;
  /** Undefined for the table itself. */
  readonly keys: EntityKeys | undefined;
}

export function resourceKindOf(path: string): ResourceKind {
  if (path === "") return "service";
  const parenthesis = path.indexOf("(");
  if (parenthesis < 0) {
    if (path === "$batch") return "batch";
    if (path === "Tables") return "tables";
    refuseDeeper(path, path.length);
    return "table";
  }
  refuseDeeper(path, parenthesis);
  if (path.charCodeAt(path.length - 1) !== CLOSING) throw new Refusal("InvalidUri");
  const isEmpty = parenthesis === path.length - 2;
  if (path.startsWith("Tables(")) return isEmpty ? "tables" : "tableItem";
  return isEmpty ? "table" : "entity";
}

/** OData reads a name in front of another as a set of entities, and requires keys there. */
function refuseDeeper(path: string, end: number): void {
  const slash = path.indexOf("/");
  if (slash >= 0 && slash < end) throw keyCount(path.slice(0, slash));
}

/**
 * Some endpoints end with a slash or, by mistake, with the name of a table: a table created there is one more
 * entity of that table, whose keys are missing.
 */
export function normalizePath(path: string, method: string): string {
  const plain = path.endsWith("/") ? path.slice(0, -1) : path;
  return method === "POST" && plain.endsWith("/Tables") ? plain.slice(0, -"/Tables".length) : plain;
}

const CLOSING = 0x29;
const QUOTE = 0x27;

export function tableOfPath(path: string): string {
  const parenthesis = path.indexOf("(");
  return parenthesis < 0 ? path : path.slice(0, parenthesis);
}

/** `Tables('name')` */
export function parseTableItem(path: string): string {
  const name = /^Tables\((?:TableName=)?'([^']*)'\)$/.exec(path)?.[1];
  if (name === undefined) throw keyCount("Tables");
  return name;
}

export function parseEntityAddress(path: string): EntityAddress {
  const parenthesis = path.indexOf("(");
  if (parenthesis < 0) return { table: path, keys: undefined };
  const table = path.slice(0, parenthesis);
  if (parenthesis === path.length - 2) return { table, keys: undefined };
  const keys = new Map<string, string>();
  let at = parenthesis + 1;
  for (;;) {
    const equals = path.indexOf("=", at);
    const name = equals < 0 ? "" : path.slice(at, equals).trim();
    const end = equals < 0 ? -1 : closingQuote(path, equals + 1);
    if (end < 0 || (name !== "PartitionKey" && name !== "RowKey") || keys.has(name)) throw keyCount(table);
    const raw = path.slice(equals + 2, end);
    keys.set(name, raw.includes("'") ? raw.replaceAll("''", "'") : raw);
    at = end + 1;
    if (path[at] === ")" && at === path.length - 1) break;
    if (path[at] !== ",") throw keyCount(table);
    at++;
  }
  const partitionKey = keys.get("PartitionKey");
  const rowKey = keys.get("RowKey");
  if (partitionKey === undefined || rowKey === undefined) throw keyCount(table);
  return { table, keys: { partitionKey, rowKey } };
}

/** The quote that ends a text which starts at `at`, or -1. */
function closingQuote(path: string, at: number): number {
  if (path.charCodeAt(at) !== QUOTE) return -1;
  let end = path.indexOf("'", at + 1);
  while (end >= 0 && path.charCodeAt(end + 1) === QUOTE) end = path.indexOf("'", end + 2);
  return end;
}

function keyCount(resource: string): Refusal {
  return new Refusal("InvalidInput", {
    text: `The number of keys specified in the URI does not match number of key properties for the resource '${resource.slice(0, 64)}'.`,
  });
}

/** As in links and Location headers: `name(PartitionKey='p',RowKey='r')`, encoded. */
export function printEntityAddress(table: string, { partitionKey, rowKey }: EntityKeys): string {
  return `${table}(PartitionKey='${printKey(partitionKey)}',RowKey='${printKey(rowKey)}')`;
}

const PLAIN_KEY = /^[A-Za-z0-9_.~-]*$/;

function printKey(key: string): string {
  return PLAIN_KEY.test(key) ? key : encodeURIComponent(key.replaceAll("'", "''"));
}
