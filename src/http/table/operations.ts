import { LIMITS } from "../../base/limits.ts";
import type { EntityChangeKind } from "../../concurrency/entity-conditions.ts";
import { TABLE_LIMITS } from "../../services/table/limits.ts";
import { getAndHead, onContainer, onObject, row } from "../common/rows.ts";
import { commonOperations } from "../common/service-operations.ts";
import { GET_USER_DELEGATION_KEY } from "../common/user-delegation-key.ts";
import type { Operation, OperationTable, Permission } from "../operation.ts";
import { handleChangeEntity } from "./change-entity.ts";
import { handleCreateTable } from "./create-table.ts";
import { handleDeleteTable } from "./delete-table.ts";
import { type EntityOperation, handleEntityGroupTransaction } from "./entity-group-transaction.ts";
import { handleGetTable } from "./get-table.ts";
import { handleGetTableAcl } from "./get-table-acl.ts";
import { handleGetEntity, handleQueryEntities } from "./query-entities.ts";
import { handleQueryTables } from "./query-tables.ts";
import { guarded, normalizeTableTarget, resourceOfTables } from "./read-request.ts";
import type { TableServices } from "./services.ts";
import { handleSetTableAcl } from "./set-table-acl.ts";

const jsonBody = { body: "json", bodyBytesMax: TABLE_LIMITS.bodyBytesMax } as const;

/** The errors of these operations are XML, as their replies are. */
const xmlBody = { body: "xml", bodyBytesMax: TABLE_LIMITS.aclBytesMax } as const;

/** No SAS reads or changes the policies that SAS depend on; bearer tokens do since this version. */
const ACL: Permission = { ...onContainer([]), bearerSince: "2025-07-05" };

/** The Table service, operation by operation: tables, queries, changes to entities, transactions. */
const TABLE_ROWS: readonly Operation<TableServices>[] = [
  row({
    name: "QueryTables",
    method: "GET",
    resource: "tables",
    permission: onContainer(["l"]),
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: handleQueryTables,
  }),
  row({
    name: "GetTable",
    method: "GET",
    resource: "tableItem",
    permission: onContainer(["l"]),
    handle: handleGetTable,
  }),
  row({
    ...jsonBody,
    name: "CreateTable",
    method: "POST",
    resource: "tables",
    permission: onContainer(["c", "w"]),
    ok: [201, 204],
    handle: handleCreateTable,
  }),
  row({
    name: "DeleteTable",
    method: "DELETE",
    resource: "tableItem",
    permission: onContainer(["d"]),
    ok: [204],
    handle: handleDeleteTable,
  }),
  ...getAndHead(
    {
      ...xmlBody,
      name: "GetTableAcl",
      resource: "table",
      query: { comp: "acl" },
      permission: ACL,
      handle: handleGetTableAcl,
    },
    "GetTableAcl (HEAD)",
  ),
  row({
    ...xmlBody,
    name: "SetTableAcl",
    method: "PUT",
    resource: "table",
    query: { comp: "acl" },
    permission: ACL,
    ok: [204],
    handle: handleSetTableAcl,
  }),
];

const QUERY_ROWS: readonly EntityOperation[] = [
  row({
    name: "QueryEntities",
    method: "GET",
    resource: "table",
    permission: onObject(["r"]),
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: handleQueryEntities,
  }),
  row({
    name: "GetEntity",
    method: "GET",
    resource: "entity",
    permission: onObject(["r"]),
    returnsEtag: true,
    handle: handleGetEntity,
  }),
];

interface ChangeRow {
  readonly change: EntityChangeKind;
  readonly name: string;
  readonly letters: string;
  /** Methods that mean it, and with POST the method that X-HTTP-Method may name. */
  readonly methods: readonly ("PUT" | "PATCH" | "MERGE" | "DELETE")[];
  readonly needsIfMatch: boolean;
}

/** If-Match makes the difference between a conditional change and one that replaces any revision. */
const CHANGES: readonly ChangeRow[] = [
  { change: "replace", name: "UpdateEntity", letters: "u", methods: ["PUT"], needsIfMatch: true },
  {
    change: "insertOrReplace",
    name: "InsertOrReplaceEntity",
    letters: "au",
    methods: ["PUT"],
    needsIfMatch: false,
  },
  { change: "merge", name: "MergeEntity", letters: "u", methods: ["PATCH", "MERGE"], needsIfMatch: true },
  {
    change: "insertOrMerge",
    name: "InsertOrMergeEntity",
    letters: "au",
    methods: ["PATCH", "MERGE"],
    needsIfMatch: false,
  },
  { change: "delete", name: "DeleteEntity", letters: "d", methods: ["DELETE"], needsIfMatch: false },
];

const CHANGE_ROWS: readonly EntityOperation[] = [
  changeRow({
    name: "InsertEntity",
    change: "insert",
    method: "POST",
    resource: "table",
    permission: onObject(["a"]),
    ok: [201, 204],
  }),
  ...CHANGES.flatMap(rowsOfChange),
];

/** One row for each method, and one for the method sent through POST; the first has the protocol's plain name. */
function rowsOfChange({ change, name, letters, methods, needsIfMatch }: ChangeRow): EntityOperation[] {
  const fields = {
    change,
    resource: "entity",
    permission: onObject([letters]),
    conditions: needsIfMatch || change === "delete" ? (["if-match"] as const) : [],
    ok: [204],
  } as const;
  const ifMatch: Readonly<Record<string, true>> = needsIfMatch ? { "if-match": true } : {};
  return methods.flatMap((method, index) => [
    changeRow({ ...fields, name: index === 0 ? name : `${name} (${method})`, method, header: ifMatch }),
    changeRow({
      ...fields,
      name: `${name} (POST as ${method})`,
      method: "POST",
      header: { ...ifMatch, "x-http-method": method },
    }),
  ]);
}

function changeRow(
  fields: Omit<Parameters<typeof row<TableServices>>[0], "handle"> & { readonly change: EntityChangeKind },
): EntityOperation {
  const { change } = fields;
  const handle = handleChangeEntity(change);
  return { ...row({ ...jsonBody, returnsEtag: change !== "delete", ...fields, handle }), change };
}

const TRANSACTION_ROW = row<TableServices>({
  name: "EntityGroupTransaction",
  method: "POST",
  resource: "batch",
  // A caller that may do anything with entities may send one; each part is authorized by its own row.
  permission: onObject(["r", "a", "u", "d"]),
  body: "multipart",
  bodyBytesMax: LIMITS.multipartBytesMax,
  ok: [202],
  handle: handleEntityGroupTransaction([...QUERY_ROWS, ...CHANGE_ROWS]),
});

export const TABLE_OPERATIONS: OperationTable<TableServices> = {
  service: "table",
  operations: [
    ...commonOperations("table"),
    GET_USER_DELEGATION_KEY,
    ...[...TABLE_ROWS, ...QUERY_ROWS, ...CHANGE_ROWS, TRANSACTION_ROW].map((operation) => ({
      ...operation,
      handle: guarded(operation.handle),
    })),
  ],
  resourceOf: resourceOfTables,
  normalizeTarget: normalizeTableTarget,
  unknownOperation: "InvalidUri",
  unknownMethod: "MethodNotAllowed",
};
