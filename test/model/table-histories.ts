import assert from "node:assert/strict";
import fc from "fast-check";
import type { Property } from "../../src/base/edm.ts";
import { Refusal } from "../../src/base/refusals.ts";
import type { Revision } from "../../src/base/revision.ts";
import type { IfMatch } from "../../src/concurrency/entity-conditions.ts";
import { ItemPage } from "../../src/services/page.ts";
import type { EntityChange } from "../../src/services/table/change-entity.ts";
import { changeEntity } from "../../src/services/table/change-entity.ts";
import type { TableContext } from "../../src/services/table/context.ts";
import { createTable } from "../../src/services/table/create-table.ts";
import { ChangeRefused, entityGroupTransaction } from "../../src/services/table/entity-group-transaction.ts";
import type { Entity } from "../../src/services/table/query-entities.ts";
import { queryEntities } from "../../src/services/table/query-entities.ts";
import type { Store } from "../../src/store/kv.ts";
import { keyOf, type ModelChange, type ModelOutcome, TableModel } from "./table-model.ts";

/**
 * Histories of changes to a few entities, by several clients at once. A round is issued without waiting; each
 * client names the ETag it knew when the round began. Writers run in the order they were called, so the
 * model, which runs them one by one in that order, must say the same of each.
 */
export interface HistoryChange {
  readonly kind: ModelChange["kind"];
  readonly partition: string;
  readonly row: string;
  /** The ETag known now, the one known before that, any, or one that never was. */
  readonly ifMatch: "known" | "former" | "any" | "never";
  readonly values: Readonly<Record<string, number>>;
}

export type Step = { readonly single: HistoryChange } | { readonly batch: readonly HistoryChange[] };
export type History = readonly (readonly Step[])[];

const change: fc.Arbitrary<HistoryChange> = fc.record({
  kind: fc.constantFrom<ModelChange["kind"][]>(
    "insert",
    "replace",
    "merge",
    "insertOrReplace",
    "insertOrMerge",
    "delete",
  ),
  // Mostly one partition: batches must have a chance.
  partition: fc.constantFrom("p", "p", "p", "p", "q"),
  row: fc.constantFrom("1", "2", "3"),
  ifMatch: fc.constantFrom<HistoryChange["ifMatch"][]>("known", "known", "former", "any", "never"),
  values: fc.dictionary(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: 9 }), { maxKeys: 3 }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ single: change }) },
  { weight: 2, arbitrary: fc.record({ batch: fc.array(change, { minLength: 1, maxLength: 4 }) }) },
);

export const history: fc.Arbitrary<History> = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 6,
});

/** Tokens of the model as the real server's revisions, learnt as they are made. */
class Tokens {
  readonly revisions = new Map<number, Revision>();
  readonly #known = new Map<string, number>();
  readonly #former = new Map<string, number>();

  learn(model: TableModel): void {
    for (const [key, { token }] of model.entities) {
      const known = this.#known.get(key);
      if (known !== undefined && known !== token) this.#former.set(key, known);
      this.#known.set(key, token);
    }
  }

  named({ partition, row, ifMatch }: HistoryChange): "*" | number {
    const key = keyOf(partition, row);
    if (ifMatch === "any") return "*";
    if (ifMatch === "never") return 0;
    return (ifMatch === "known" ? this.#known : this.#former).get(key) ?? 0;
  }

  real(named: "*" | number): IfMatch {
    return named === "*" ? "*" : (this.revisions.get(named) ?? "unknown");
  }
}

const ref = { account: "a", table: "history" };

export async function followsModel(store: Store, rounds: History): Promise<void> {
  const tables = { store };
  await createTable(tables, ref);
  const model = new TableModel();
  const tokens = new Tokens();
  for (const round of rounds) {
    const issued = round.map((step) => {
      const changes = "single" in step ? [step.single] : step.batch;
      const named = changes.map((change) => ({ ...change, ifMatch: tokens.named(change) }));
      const real = named.map((change) => realChange(change, tokens));
      return { named, isTransaction: "batch" in step, running: run(tables, real, "batch" in step) };
    });
    for (const { named, isTransaction, running } of issued) {
      const found = await running;
      const { outcome, token } = model.run(named, isTransaction);
      assert.deepEqual(found.outcome, outcome);
      if (found.revision !== undefined) tokens.revisions.set(token, found.revision);
    }
    tokens.learn(model);
    await compare(tables, model, tokens);
  }
}

function realChange({ kind, partition, row, ifMatch, values }: ModelChange, tokens: Tokens): EntityChange {
  const properties = Object.entries(values).map(
    ([name, value]): Property => ({ name, type: "Int32", value }),
  );
  return {
    kind,
    partitionKey: partition,
    rowKey: row,
    ifMatch: tokens.real(ifMatch),
    properties: kind === "delete" ? [] : properties,
  };
}

async function run(
  tables: TableContext,
  changes: readonly EntityChange[],
  isTransaction: boolean,
): Promise<{ outcome: ModelOutcome; revision?: Revision }> {
  try {
    const { revision } = isTransaction
      ? await entityGroupTransaction(tables, ref, changes)
      : await changeEntity(tables, ref, changes[0]!);
    return { outcome: "done", revision };
  } catch (error) {
    if (error instanceof ChangeRefused) {
      return { outcome: { index: error.index, code: error.refusal.code } };
    }
    if (error instanceof Refusal) return { outcome: { index: 0, code: error.code } };
    throw error;
  }
}

async function compare(tables: TableContext, model: TableModel, tokens: Tokens): Promise<void> {
  const { page } = await queryEntities(tables, ref, { newPage: () => new ItemPage<Entity>(1_000) });
  const found = page.items.map(({ partitionKey, rowKey, revision, properties }) => ({
    key: keyOf(partitionKey, rowKey),
    revision,
    values: Object.fromEntries(properties.map(({ name, value }) => [name, value])),
  }));
  const expected = [...model.entities.keys()].sort().map((key) => {
    const { token, values } = model.entities.get(key)!;
    return { key, revision: tokens.revisions.get(token), values };
  });
  assert.deepEqual(found, expected);
}
