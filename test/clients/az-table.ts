import assert from "node:assert/strict";
import type { TestServer } from "../kit/server.ts";
import { azFor } from "./az.ts";

type Entity = Readonly<Record<string, unknown>>;

/**
 * `az storage table` and `az storage entity`, command by command, as a script of the shell would use them.
 */
export async function azStorageTable(
  server: TestServer,
  directory: string,
  progress: (text: string) => void,
): Promise<string> {
  const az = azFor(server, directory, progress);
  const on = ["--table-name", "AzPeople"];
  const named = ["--name", "AzPeople"];
  const row = (key: string): string[] => ["--partition-key", "p", "--row-key", key];
  const entity = (key: string, ...more: string[]): string[] => [
    "--entity",
    "PartitionKey=p",
    `RowKey=${key}`,
    ...more,
  ];

  assert.deepEqual(await az("table", "create", ...named), { created: true });
  await assert.rejects(az("table", "create", ...named, "--fail-on-exist"), /TableAlreadyExists/);
  assert.equal((await az<{ exists: boolean }>("table", "exists", ...named)).exists, true);
  const tables = await az<{ name: string }[]>("table", "list");
  assert.deepEqual(
    tables.map(({ name }) => name),
    ["AzPeople"],
  );
  await az("table", "policy", "create", "--name", "readers", ...on, "--permissions", "raud");
  assert.deepEqual(Object.keys(await az<object>("table", "policy", "list", ...on)), ["readers"]);
  await az("table", "policy", "delete", "--name", "readers", ...on);

  await az(
    "entity",
    "insert",
    ...on,
    ...entity("ada", "Name=Ada", "Age=36", "Age@odata.type=Edm.Int32", "Born=1815-12-10"),
  );
  await az("entity", "insert", ...on, ...entity("bo's", "Name=Bo"));
  const shown = await az<Entity>("entity", "show", ...on, ...row("ada"));
  assert.deepEqual([shown.Name, shown.Age, shown.RowKey], ["Ada", 36, "ada"]);
  assert.match(String(shown.etag), /^W\/"datetime'/);
  assert.equal((await az<Entity>("entity", "show", ...on, ...row("bo's"))).Name, "Bo");
  await assert.rejects(
    az("entity", "insert", ...on, ...entity("ada", "Name=Other"), "--if-exists", "fail"),
    /EntityAlreadyExists|already exists/,
  );
  await az("entity", "insert", ...on, ...entity("ada", "Note=more"), "--if-exists", "merge");
  await az("entity", "merge", ...on, ...entity("ada", "Name=Lovelace"));
  const merged = await az<Entity>("entity", "show", ...on, ...row("ada"));
  assert.deepEqual([merged.Name, merged.Note, merged.Age], ["Lovelace", "more", 36]);
  await assert.rejects(
    az("entity", "merge", ...on, ...entity("ada", "Name=Late"), "--if-match", String(shown.etag)),
    /UpdateConditionNotSatisfied|condition/,
  );
  await az("entity", "replace", ...on, ...entity("ada", "Name=Ada"), "--if-match", String(merged.etag));
  const found = await az<{ items: Entity[] }>(
    "entity",
    "query",
    ...on,
    "--filter",
    "PartitionKey eq 'p' and Name eq 'Ada'",
    "--select",
    "Name",
    "RowKey",
  );
  assert.deepEqual(
    found.items.map(({ Name, RowKey, Note }) => [Name, RowKey, Note]),
    [["Ada", "ada", undefined]],
  );
  const page = await az<{ items: Entity[]; nextMarker: { nextrowkey?: string } }>(
    "entity",
    "query",
    ...on,
    "--num-results",
    "1",
  );
  assert.equal(page.items.length, 1);
  await az("entity", "delete", ...on, ...row("ada"), "--if-match", "*");
  await assert.rejects(az("entity", "show", ...on, ...row("ada")), /ResourceNotFound|does not exist/);
  const sas = await az<string>(
    "table",
    "generate-sas",
    ...named,
    "--permissions",
    "r",
    "--expiry",
    "2099-01-01T00:00Z",
  );
  assert.match(sas, /sig=/);
  assert.deepEqual(await az("table", "delete", ...named), { deleted: true });
  return `${az.count} commands`;
}
