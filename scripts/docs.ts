import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { BLOB_OPERATIONS } from "../src/http/blob/operations.ts";
import { FILE_OPERATIONS } from "../src/http/file/operations.ts";
import type { Operation, OperationTable, Permission, ResourceKind } from "../src/http/operation.ts";
import { QUEUE_OPERATIONS } from "../src/http/queue/operations.ts";
import { TABLE_OPERATIONS } from "../src/http/table/operations.ts";

/**
 * `npm run docs` writes docs/reference/operations.md from the four operation tables; a test finds a stale
 * file.
 */
export const OPERATIONS_FILE = "docs/reference/operations.md";

const TABLES = [
  ["Blob service", BLOB_OPERATIONS],
  ["Queue service", QUEUE_OPERATIONS],
  ["Table service", TABLE_OPERATIONS],
  ["File service", FILE_OPERATIONS],
] as unknown as readonly (readonly [title: string, table: OperationTable<never>])[];

const INTRODUCTION = `# Operations

<!-- Written by \`npm run docs\` from the operation tables in src/http; do not edit. -->

The tables list every operation that each service answers over HTTP. The columns:

- **Request**: method, address, the query parameters that select the operation, and the headers that do.
  \`*\` stands for any value that is not empty.
- **SAS**: the permission letters that a shared access signature must hold. \`c or w\` means that either is
  enough, \`a and u\` that both are needed. *account* is an account SAS, with its resource types; *service* is a
  service SAS or a user delegation SAS. *key or token* means that no SAS is enough.
- **Conditions**: the conditional headers that the operation obeys.
- **Lease**: *checked* means that a leased resource needs \`x-ms-lease-id\`; *manages* means a lease operation.
- **Body**: the kind of request body and the largest size that the server accepts.
- **Success**: the status codes of success; **ETag** stands beside them where the reply carries one.
`;

const ADDRESSES: Readonly<Record<ResourceKind, string>> = {
  service: "/",
  container: "/{container}",
  blob: "/{container}/{blob}",
  website: "/{path} (website endpoint)",
  queue: "/{queue}",
  messages: "/{queue}/messages",
  message: "/{queue}/messages/{messageid}",
  tables: "/Tables",
  tableItem: "/Tables('{table}')",
  table: "/{table}",
  entity: "/{table}(PartitionKey='{pk}',RowKey='{rk}')",
  batch: "/$batch",
  share: "/{share}",
  directory: "/{share}/{directory}",
  file: "/{share}/{file}",
  path: "/{share}/{path}",
};

const RESOURCE_TYPES = { s: "service", c: "container", o: "object" } as const;

export function printOperations(): string {
  const sections = TABLES.map(([title, { operations }]) => {
    const rows = operations.map((operation) => `| ${cellsOf(operation).join(" | ")} |`);
    const head = ["Operation", "Request", "SAS", "Conditions", "Lease", "Body", "Success"];
    const lines = [`| ${head.join(" | ")} |`, `|${" --- |".repeat(head.length)}`, ...rows];
    return `\n## ${title}\n\n${lines.join("\n")}\n`;
  });
  return INTRODUCTION + sections.join("");
}

function cellsOf(operation: Operation<never>): string[] {
  const { name, permission, conditions, lease, returnsEtag, ok } = operation;
  return [
    name,
    printRequest(operation),
    printPermission(permission),
    conditions.map((header) => `\`${header}\``).join(", "),
    lease === "none" ? "" : lease,
    printBody(operation),
    `${ok.join(", ")}${returnsEtag ? ", ETag" : ""}`,
  ];
}

function printRequest({ method, resource, query = {}, header = {} }: Operation<never>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value === true ? "*" : value}`);
  const address = method === "OPTIONS" ? "any address" : ADDRESSES[resource];
  const request = `\`${method} ${address}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}\``;
  const headers = Object.entries(header).map(
    ([name, value]) => `\`${name}: ${value === true ? "*" : value}\``,
  );
  return [request, ...headers].join(", ");
}

function printPermission({ type, account, service, anonymous, isOpen }: Permission): string {
  if (isOpen === true) return "none needed";
  const types = [...type].map((letter) => RESOURCE_TYPES[letter as keyof typeof RESOURCE_TYPES]).join("/");
  const kinds = [
    ...(account.length === 0 ? [] : [`account (${types}): ${printLetters(account)}`]),
    ...(service.length === 0 ? [] : [`service: ${printLetters(service)}`]),
    ...(account.length + service.length === 0 ? ["key or token"] : []),
    ...(anonymous === undefined ? [] : [`anonymous where public access is ${anonymous}`]),
  ];
  return kinds.join("; ");
}

/** Many alternatives of one letter each read better as a word: any right at all is enough. */
const LETTERS_MAX = 6;

function printLetters(alternatives: readonly string[]): string {
  if (alternatives.length > LETTERS_MAX) return "any letter";
  return alternatives.map((letters) => [...letters].join(" and ")).join(" or ");
}

function printBody({ body, bodyBytesMax }: Operation<never>): string {
  return body === "none" ? "" : `${body}, ${printBytes(bodyBytesMax)}`;
}

function printBytes(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let count = bytes;
  while (count >= 1_024 && count % 1_024 === 0 && unit < units.length - 1) {
    count /= 1_024;
    unit++;
  }
  return `${count.toLocaleString("en-US")} ${units[unit]}`;
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href) {
  writeFileSync(join(dirname(fileURLToPath(import.meta.url)), "..", OPERATIONS_FILE), printOperations());
}
