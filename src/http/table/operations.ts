import type { EntityChangeKind } from "../../concurrency/entity-conditions.ts";
import { TABLE_LIMITS } from "../../services/table/limits.ts";
import {
  ACCEPTED,
  ACL_BY_TOKEN,
  getAndHead,
  json,
  LISTING,
  MULTIPART,
  NO_CONTENT,
  onContainer,
  onObject,
  type RowOptions,
  row,
  xml,
} from "../common/rows.ts";
import { commonOperations } from "../common/service-operations.ts";
import { GET_USER_DELEGATION_KEY } from "../common/user-delegation-key.ts";
import type { Operation, OperationTable } from "../operation.ts";
import { handleChangeEntity } from "./change-entity.ts";
import { handleCreateTable } from "./create-table.ts";
import { handleDeleteTable } from "./delete-table.ts";
import { type EntityOperation, handleEntityGroupTransaction } from "./entity-group-transaction.ts";
import { handleGetTable } from "./get-table.ts";
import { handleGetTableAcl } from "./get-table-acl.ts";
import { handleGetEntity, handleQueryEntities } from "./query-entities.ts";
import { handleQueryTables } from "./query-tables.ts";
import { guarded, normalizeTableTarget, refusalHeaders, resourceOfTables } from "./read-request.ts";
import type { TableServices } from "./services.ts";
import { handleSetTableAcl } from "./set-table-acl.ts";

const ENTITY_BODY = json(TABLE_LIMITS.bodyBytesMax);

/** The errors of these operations are XML, as their replies are. */
const ACL_BODY = xml(TABLE_LIMITS.aclBytesMax);

const TABLE_ROWS: readonly Operation<TableServices>[] = [
  row("QueryTables", "GET tables", onContainer("l"), handleQueryTables, LISTING),
  row("GetTable", "GET tableItem", onContainer("l"), handleGetTable),
  row("CreateTable", "POST tables", onContainer("c", "w"), handleCreateTable, {
    ...ENTITY_BODY,
    ok: [201, 204],
  }),
  row("DeleteTable", "DELETE tableItem", onContainer("d"), handleDeleteTable, NO_CONTENT),
  ...getAndHead("GetTableAcl", "table?comp=acl", ACL_BY_TOKEN, handleGetTableAcl, {
    ...ACL_BODY,
    headName: "GetTableAcl (HEAD)",
  }),
  row("SetTableAcl", "PUT table?comp=acl", ACL_BY_TOKEN, handleSetTableAcl, { ...ACL_BODY, ...NO_CONTENT }),
];

const QUERY_ROWS: readonly EntityOperation[] = [
  row("QueryEntities", "GET table", onObject("r"), handleQueryEntities, LISTING),
  row("GetEntity", "GET entity", onObject("r"), handleGetEntity, { returnsEtag: true }),
];

/** If-Match makes the difference between a conditional change and one that replaces any revision. */
const CHANGE_ROWS: readonly EntityOperation[] = [
  changeRow("insert", "InsertEntity", "POST table", "a", { ok: [201, 204] }),
  ...changeRows("replace", "UpdateEntity", ["PUT"], "u", { needsIfMatch: true }),
  ...changeRows("insertOrReplace", "InsertOrReplaceEntity", ["PUT"], "au"),
  ...changeRows("merge", "MergeEntity", ["PATCH", "MERGE"], "u", { needsIfMatch: true }),
  ...changeRows("insertOrMerge", "InsertOrMergeEntity", ["PATCH", "MERGE"], "au"),
  ...changeRows("delete", "DeleteEntity", ["DELETE"], "d"),
];

/**
 * One row for each method, and one for the method sent through POST; the first has the protocol's plain name.
 */
function changeRows(
  change: EntityChangeKind,
  name: string,
  methods: readonly ("PUT" | "PATCH" | "MERGE" | "DELETE")[],
  letters: string,
  { needsIfMatch = false } = {},
): EntityOperation[] {
  const ifMatch = needsIfMatch ? ", if-match: *" : "";
  const options = {
    conditions: needsIfMatch || change === "delete" ? (["if-match"] as const) : [],
    ...NO_CONTENT,
  };
  return methods.flatMap((method, index) => {
    const methodName = index === 0 ? name : `${name} (${method})`;
    const tunnelled = `POST entity${ifMatch}, x-http-method: ${method}` as const;
    return [
      changeRow(change, methodName, `${method} entity${ifMatch}`, letters, options),
      changeRow(change, `${name} (POST as ${method})`, tunnelled, letters, options),
    ];
  });
}

function changeRow(
  change: EntityChangeKind,
  name: string,
  request: Parameters<typeof row>[1],
  letters: string,
  options: RowOptions<TableServices>,
): EntityOperation {
  const fields = { ...ENTITY_BODY, returnsEtag: change !== "delete", ...options };
  return { ...row(name, request, onObject(letters), handleChangeEntity(change), fields), change };
}

const TRANSACTION_ROW = row(
  "EntityGroupTransaction",
  "POST batch",
  // A caller with any permission on entities may send one; each part is authorized by its own row.
  onObject("r", "a", "u", "d"),
  handleEntityGroupTransaction([...QUERY_ROWS, ...CHANGE_ROWS]),
  { ...MULTIPART, ...ACCEPTED },
);

/** The Table service, operation by operation. */
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
  refusalHeaders,
  normalizeTarget: normalizeTableTarget,
  unknownOperation: "InvalidUri",
  unknownMethod: "MethodNotAllowed",
};
