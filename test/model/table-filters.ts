import assert from "node:assert/strict";
import fc from "fast-check";
import type { EdmValue, Property } from "../../src/base/edm.ts";
import { parseFilter } from "../../src/http/wire/odata/filter-parser.ts";
import { ItemPage } from "../../src/services/page.ts";
import { changeEntity } from "../../src/services/table/change-entity.ts";
import type { TableContext } from "../../src/services/table/context.ts";
import { createTable } from "../../src/services/table/create-table.ts";
import type { Entity } from "../../src/services/table/query-entities.ts";
import { queryEntities } from "../../src/services/table/query-entities.ts";
import type { Store } from "../../src/store/kv.ts";
import {
  type Expression,
  expression,
  isMet,
  type PlainEntity,
  plainEntity,
  printExpression,
} from "./table-filter-model.ts";

/**
 * A table of a few entities and several filters put to it, by the real road: text, parser, key ranges, scan.
 */
export interface FilterCase {
  readonly entities: readonly PlainEntity[];
  readonly filters: readonly Expression[];
}

export const FILTERS_PER_CASE = 10;

const keyOf = (entity: PlainEntity): string =>
  JSON.stringify([entity.PartitionKey!.value, entity.RowKey!.value]);

export const filterCase: fc.Arbitrary<FilterCase> = fc.record({
  entities: fc.uniqueArray(plainEntity, { selector: keyOf, minLength: 1, maxLength: 12 }),
  filters: fc.array(expression, { minLength: FILTERS_PER_CASE, maxLength: FILTERS_PER_CASE }),
});

const ref = { account: "a", table: "filters" };

export async function filtersLikeModel(store: Store, { entities, filters }: FilterCase): Promise<void> {
  const tables = { store };
  await createTable(tables, ref);
  await Promise.all(entities.map((entity) => insert(tables, entity)));
  for (const filter of filters) {
    const text = printExpression(filter);
    const newPage = () => new ItemPage<Entity>(1_000);
    const { page } = await queryEntities(tables, ref, { newPage, filter: parseFilter(text) });
    const found = page.items.map(({ partitionKey, rowKey }) => JSON.stringify([partitionKey, rowKey]));
    const expected = entities.filter((entity) => isMet(filter, entity)).map(keyOf);
    assert.deepEqual(new Set(found), new Set(expected), text);
    assert.equal(found.length, expected.length, text);
  }
}

function insert(tables: TableContext, entity: PlainEntity): Promise<unknown> {
  const { PartitionKey, RowKey, ...rest } = entity;
  const properties = Object.entries(rest)
    .filter((pair): pair is [string, EdmValue] => pair[1] !== undefined)
    .map(([name, value]): Property => ({ name, ...value }));
  return changeEntity(tables, ref, {
    kind: "insert",
    partitionKey: PartitionKey!.value as string,
    rowKey: RowKey!.value as string,
    properties,
  });
}
