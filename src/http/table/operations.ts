import { LIMITS } from "../../base/limits.ts";
import type { EntityChangeKind } from "../../concurrency/entity-conditions.ts";
import { TABLE_LIMITS } from "../../services/table/limits.ts";
import type { TableService } from "../../services/table/table-service.ts";
import type { AuthContext } from "../auth/authenticate.ts";
import { type CommonServices, commonOperations } from "../common/service-operations.ts";
import { GET_USER_DELEGATION_KEY } from "../common/user-delegation-key.ts";
import type { Operation, OperationTable } from "../operation.ts";
import { batchHandler, type EntityOperation } from "./batch.ts";
import { changeEntity } from "./change-entity.ts";
import { guarded, normalizeTableTarget, resourceOfTables } from "./exchange.ts";
import { getEntity, queryEntities } from "./query-entities.ts";
import { getTableAcl, setTableAcl } from "./table-acl.ts";
import { createTable, deleteTable, getTable, queryTables } from "./tables.ts";

/** The Table service, operation by operation. */
export interface TableServices extends CommonServices {
  readonly tables: TableService;
  readonly auth: AuthContext;
}

const plain = { returnsEtag: false, conditions: [], lease: "none" } as const;
const withoutBody = { ...plain, body: "none", bodyBytesMax: 0 } as const;
const withJson = { ...plain, body: "json", bodyBytesMax: TABLE_LIMITS.bodyBytesMax } as const;

/** What a SAS must grant: for tables on an account SAS only, for entities on either kind. */
const onTables = (account: readonly string[]) => ({ type: "c", account, service: [] }) as const;
const onEntities = (letters: string) => ({ type: "o", account: [letters], service: [letters] }) as const;

const TABLE_ROWS: readonly Operation<TableServices>[] = [
  {
    ...withoutBody,
    name: "QueryTables",
    method: "GET",
    resource: "tables",
    permission: onTables(["l"]),
    ok: [200],
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: queryTables,
  },
  {
    ...withoutBody,
    name: "GetTable",
    method: "GET",
    resource: "tableItem",
    permission: onTables(["l"]),
    ok: [200],
    handle: getTable,
  },
  {
    ...withJson,
    name: "CreateTable",
    method: "POST",
    resource: "tables",
    permission: onTables(["c", "w"]),
    ok: [201, 204],
    handle: createTable,
  },
  {
    ...withoutBody,
    name: "DeleteTable",
    method: "DELETE",
    resource: "tableItem",
    permission: onTables(["d"]),
    ok: [204],
    handle: deleteTable,
  },
  aclRow("GetTableAcl", "GET"),
  aclRow("GetTableAcl (HEAD)", "HEAD"),
  {
    ...plain,
    name: "SetTableAcl",
    method: "PUT",
    resource: "table",
    query: { comp: "acl" },
    permission: { ...onTables([]), bearerSince: "2025-07-05" },
    body: "xml",
    bodyBytesMax: TABLE_LIMITS.aclBytesMax,
    ok: [204],
    handle: setTableAcl,
  },
];

/** No SAS reads or writes what SAS stand on. Its errors are XML, as its replies are. */
function aclRow(name: string, method: "GET" | "HEAD"): Operation<TableServices> {
  return {
    ...plain,
    name,
    method,
    resource: "table",
    query: { comp: "acl" },
    permission: { ...onTables([]), bearerSince: "2025-07-05" },
    body: "xml",
    bodyBytesMax: TABLE_LIMITS.aclBytesMax,
    ok: [200],
    handle: getTableAcl,
  };
}

const QUERY_ROWS: readonly EntityOperation[] = [
  {
    ...withoutBody,
    name: "QueryEntities",
    method: "GET",
    resource: "table",
    permission: onEntities("r"),
    ok: [200],
    replyBytesMax: LIMITS.listPageBytesMax,
    handle: queryEntities,
  },
  {
    ...withoutBody,
    name: "GetEntity",
    method: "GET",
    resource: "entity",
    permission: onEntities("r"),
    returnsEtag: true,
    ok: [200],
    handle: getEntity,
  },
];

interface ChangeRow {
  readonly change: EntityChangeKind;
  readonly name: string;
  readonly letters: string;
  /** Methods that mean it, and with POST the method that X-HTTP-Method may name. */
  readonly methods: readonly ("PUT" | "PATCH" | "MERGE" | "DELETE")[];
  readonly needsIfMatch: boolean;
}

/** If-Match makes the difference between a conditional change and one that takes what it finds. */
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
  {
    ...withJson,
    name: "InsertEntity",
    change: "insert",
    method: "POST",
    resource: "table",
    permission: onEntities("a"),
    returnsEtag: true,
    ok: [201, 204],
    handle: changeEntity("insert"),
  },
  ...CHANGES.flatMap(rowsOfChange),
];

/** One row for each method, and one for the method sent through POST; the first has the protocol's plain name. */
function rowsOfChange({ change, name, letters, methods, needsIfMatch }: ChangeRow): EntityOperation[] {
  const row = {
    ...withJson,
    change,
    resource: "entity",
    permission: onEntities(letters),
    returnsEtag: change !== "delete",
    conditions: needsIfMatch || change === "delete" ? (["if-match"] as const) : [],
    ok: [204],
    handle: changeEntity(change),
  } as const;
  const ifMatch: Readonly<Record<string, true>> = needsIfMatch ? { "if-match": true } : {};
  return methods.flatMap((method, index) => [
    { ...row, name: index === 0 ? name : `${name} (${method})`, method, header: ifMatch },
    {
      ...row,
      name: `${name} (POST as ${method})`,
      method: "POST",
      header: { ...ifMatch, "x-http-method": method },
    },
  ]);
}

const BATCH_ROW: Operation<TableServices> = {
  ...plain,
  name: "EntityGroupTransaction",
  method: "POST",
  resource: "batch",
  // Whoever may do anything with entities may send one; each part is judged by its own row.
  permission: { type: "o", account: ["r", "a", "u", "d"], service: ["r", "a", "u", "d"] },
  body: "multipart",
  bodyBytesMax: LIMITS.multipartBytesMax,
  ok: [202],
  handle: batchHandler([...QUERY_ROWS, ...CHANGE_ROWS]),
};

export const TABLE_OPERATIONS: OperationTable<TableServices> = {
  service: "table",
  operations: [
    ...commonOperations("table"),
    GET_USER_DELEGATION_KEY,
    ...[...TABLE_ROWS, ...QUERY_ROWS, ...CHANGE_ROWS, BATCH_ROW].map((row) => ({
      ...row,
      handle: guarded(row.handle),
    })),
  ],
  resourceOf: resourceOfTables,
  normalizeTarget: normalizeTableTarget,
  unknownOperation: "InvalidUri",
  unknownMethod: "MethodNotAllowed",
};
