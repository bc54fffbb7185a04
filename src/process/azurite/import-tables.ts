import type { EntityContents, EntityKeys } from "../../base/edm.ts";
import { Refusal } from "../../base/refusals.ts";
import type { Revision } from "../../base/revision.ts";
import { readEntity } from "../../http/wire/odata/entity-reader.ts";
import { parseEntityEtag, parseTicks } from "../../http/wire/odata/times.ts";
import type { TableRef } from "../../services/table/tables.ts";
import { entityKey, tableAclKey, tableKey } from "../../store/keys/table.ts";
import type { Reader } from "../../store/kv.ts";
import { packEntity } from "../../store/records/entity.ts";
import type { PolicyRecord } from "../../store/records/policy.ts";
import { type TableRecord, tableAclRecord, tableRecord } from "../../store/records/table.ts";
import { fieldsOf } from "./azurite-data.ts";
import { damaged, policiesOf } from "./fields.ts";
import { canonical, type ImportStep } from "./import-step.ts";
import type { LokiRecord } from "./loki-file.ts";

/** Tables, and their entities: each table has a collection of its own, `account$table`. */

function tableOf(loki: LokiRecord): { readonly ref: TableRef; readonly policies: readonly PolicyRecord[] } {
  const outer = fieldsOf(loki, "a table");
  const ref = { account: outer.text("account"), table: outer.text("table") };
  return { ref, policies: policiesOf(fieldsOf(loki, `the table ${ref.account}/${ref.table}`), "tableAcl") };
}

async function findTable(read: Reader, { account, table }: TableRef): Promise<TableRecord | undefined> {
  const bytes = await read.get(tableKey(account, table));
  return bytes === undefined ? undefined : tableRecord.unpack(bytes);
}

export const tableStep: ImportStep = {
  file: "table",
  isIn: (collection) => collection === "$TABLES_COLLECTION$",
  async prepare(_, loki) {
    const { ref, policies } = tableOf(loki);
    return {
      async write(write) {
        const id = write.revision();
        write.put(tableKey(ref.account, ref.table), tableRecord.pack({ name: ref.table, id }));
        if (policies.length > 0) write.put(tableAclKey(id), tableAclRecord.pack({ policies }));
        return "imported";
      },
    };
  },
  async compare(_, read, loki) {
    const { ref, policies } = tableOf(loki);
    const found = await findTable(read, ref);
    const bytes = found && (await read.get(tableAclKey(found.id)));
    const stored = bytes === undefined ? [] : tableAclRecord.unpack(bytes).policies;
    const isSame = found?.name === ref.table && canonical(stored) === canonical(policies);
    return isSame ? undefined : `the table ${ref.table}`;
  },
};

interface AzuriteEntity extends EntityKeys {
  readonly name: string;
  readonly ref: TableRef;
  readonly revision: Revision;
  readonly contents: EntityContents;
}

function entityOf(loki: LokiRecord): AzuriteEntity {
  const at = loki.collection.indexOf("$");
  const ref = { account: loki.collection.slice(0, at), table: loki.collection.slice(at + 1) };
  const outer = fieldsOf(loki, `an entity of ${ref.account}/${ref.table}`);
  const [partitionKey, rowKey] = [outer.text("PartitionKey"), outer.text("RowKey")];
  const name = `the entity (${partitionKey}, ${rowKey}) of ${ref.account}/${ref.table}`;
  // Its ETag is made of the time of its last change, as ours are.
  const etag = parseEntityEtag(outer.optionalText("eTag") ?? "");
  const revision = typeof etag === "bigint" ? etag : parseTicks(outer.text("lastModifiedTime"));
  if (revision === undefined) throw damaged(name, "its time of change is no time");
  return { name, ref, partitionKey, rowKey, revision, contents: contentsOf(name, outer.value("properties")) };
}

/** Azurite keeps the JSON that it returns, except that a Guid is in Base64. */
function contentsOf(name: string, stored: unknown): EntityContents {
  const properties = { ...(stored as Record<string, unknown>) };
  for (const [field, type] of Object.entries(properties)) {
    if (type !== "Edm.Guid" || !field.endsWith(TYPE)) continue;
    const guid = String(properties[field.slice(0, -TYPE.length)]);
    if (!guid.includes("-"))
      properties[field.slice(0, -TYPE.length)] = Buffer.from(guid, "base64").toString();
  }
  try {
    return readEntity(Buffer.from(JSON.stringify(properties)));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw damaged(name, `its properties are refused as ${error.code}`);
  }
}

const TYPE = "@odata.type";

export const entityStep: ImportStep = {
  file: "table",
  isIn: (collection) => collection.indexOf("$") > 0,
  async prepare(_, loki) {
    const entity = entityOf(loki);
    return {
      async write(write) {
        const table = await findTable(write, entity.ref);
        if (table === undefined) return "orphan";
        write.put(entityKey(table.id, entity), packEntity(entity.revision, entity.contents));
        return "imported";
      },
    };
  },
  async compare(_, read, loki) {
    const entity = entityOf(loki);
    const table = await findTable(read, entity.ref);
    if (table === undefined) return undefined;
    const stored = await read.get(entityKey(table.id, entity));
    return stored?.equals(packEntity(entity.revision, entity.contents)) ? undefined : entity.name;
  },
};
