import { setImmediate as nextTurn } from "node:timers/promises";
import { ItemPage } from "../../src/services/page.ts";
import type { EntityChange } from "../../src/services/table/change-entity.ts";
import { createTable } from "../../src/services/table/create-table.ts";
import { entityGroupTransaction } from "../../src/services/table/entity-group-transaction.ts";
import type { Entity } from "../../src/services/table/query-entities.ts";
import { queryEntities } from "../../src/services/table/query-entities.ts";
import type { Store } from "../../src/store/kv.ts";

/**
 * Batches against readers. A writer turns the whole partition over with each batch: ten entities go, ten
 * others come, and ten that stay get a new value. A reader of the partition must see one turn, whole.
 */
const ref = { account: "a", table: "turns" };
const GROUP = 10;

export interface ReadersOutcome {
  readonly reads: number;
  readonly batches: number;
  /** Turns that readers saw: proof that they overlapped with the writer. */
  readonly batchesSeen: number;
  /** What the first broken read saw. */
  readonly broken: string | undefined;
}

export async function readersSeeWholeBatches(
  store: Store,
  { reads, readers = 8 }: { readonly reads: number; readonly readers?: number },
): Promise<ReadersOutcome> {
  const tables = { store };
  await createTable(tables, ref);
  await entityGroupTransaction(tables, ref, turn(0, true));
  const seen = new Set<number>();
  let left = reads;
  let batches = 0;
  let broken: string | undefined;
  const write = async (): Promise<void> => {
    while (left > 0 && broken === undefined)
      await entityGroupTransaction(tables, ref, turn(++batches, false));
  };
  const read = async (): Promise<void> => {
    while (left > 0 && broken === undefined) {
      left--;
      // A turn of the event loop for each read, as requests have: the writer's commits need them.
      await nextTurn();
      const { page } = await queryEntities(tables, ref, {
        newPage: () => new ItemPage<Entity>(1_000),
        filter: {
          kind: "comparison",
          property: "PartitionKey",
          operator: "eq",
          literal: { type: "String", value: "p" },
        },
      });
      const found = turnOf(page.items);
      if (found === undefined) broken = describe(page.items);
      else seen.add(found);
    }
  };
  await Promise.all([write(), ...Array.from({ length: readers }, read)]);
  return { reads, batches, batchesSeen: seen.size, broken };
}

const group = (turn: number): string => (turn % 2 === 0 ? "even" : "odd");

function turn(number: number, isFirst: boolean): EntityChange[] {
  const changes: EntityChange[] = [];
  const properties = [{ name: "turn", type: "Int32", value: number } as const];
  for (let i = 0; i < GROUP; i++) {
    const at = (name: string) => ({ partitionKey: "p", rowKey: `${name}${i}` });
    if (!isFirst) changes.push({ kind: "delete", ifMatch: "*", ...at(group(number + 1)), properties: [] });
    changes.push({ kind: "insert", ...at(group(number)), properties });
    changes.push({ kind: "insertOrReplace", ...at("stays"), properties });
  }
  return changes;
}

/** The one turn that all of them are of. */
function turnOf(entities: readonly Entity[]): number | undefined {
  if (entities.length !== 2 * GROUP) return undefined;
  const first = entities[0]!;
  const number = first.properties[0]!.value as number;
  for (const { rowKey, properties, revision } of entities) {
    const isOfTurn = rowKey.startsWith(group(number)) || rowKey.startsWith("stays");
    if (!isOfTurn || properties[0]!.value !== number || revision !== first.revision) return undefined;
  }
  return number;
}

function describe(entities: readonly Entity[]): string {
  return entities.map(({ rowKey, properties }) => `${rowKey}=${properties[0]?.value}`).join(" ");
}
