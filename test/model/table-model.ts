/**
 * Entities and what changes them, said as plainly as possible: one table, a Map, and the conditions written
 * out. A write is known by a token, its number in the history; the real server has revisions in its place.
 */
export type ChangeKind = "insert" | "replace" | "merge" | "insertOrReplace" | "insertOrMerge" | "delete";

export interface ModelChange {
  readonly kind: ChangeKind;
  readonly partition: string;
  readonly row: string;
  /** "*", the token of a write, or 0: a token no write ever had. */
  readonly ifMatch: "*" | number;
  readonly values: Readonly<Record<string, number>>;
}

export interface ModelEntity {
  token: number;
  values: Record<string, number>;
}

export type ModelOutcome = "done" | { readonly index: number; readonly code: string };

export class TableModel {
  entities = new Map<string, ModelEntity>();
  #token = 0;

  /** One change on its own, or several that go together. */
  run(changes: readonly ModelChange[], isTransaction: boolean): { outcome: ModelOutcome; token: number } {
    const token = ++this.#token;
    const seen: string[] = [];
    if (isTransaction) {
      for (const [index, { partition, row }] of changes.entries()) {
        if (partition !== changes[0]!.partition)
          return { outcome: { index, code: "CommandsInBatchActOnDifferentPartitions" }, token };
        if (seen.includes(row)) return { outcome: { index, code: "InvalidDuplicateRow" }, token };
        seen.push(row);
      }
    }
    // Work on a copy, and keep it only if everything went well.
    const copy = new Map<string, ModelEntity>();
    for (const [key, { token, values }] of this.entities) copy.set(key, { token, values: { ...values } });
    for (const [index, change] of changes.entries()) {
      const code = apply(copy, change, token);
      if (code !== undefined) return { outcome: { index, code }, token };
    }
    this.entities = copy;
    return { outcome: "done", token };
  }
}

function apply(
  entities: Map<string, ModelEntity>,
  { kind, partition, row, ifMatch, values }: ModelChange,
  token: number,
): string | undefined {
  const key = keyOf(partition, row);
  const present = entities.get(key);
  if (kind === "insert" && present !== undefined) return "EntityAlreadyExists";
  if (kind === "replace" || kind === "merge" || kind === "delete") {
    if (present === undefined) return "ResourceNotFound";
    if (ifMatch !== "*") {
      if (ifMatch !== present.token) return "UpdateConditionNotSatisfied";
    }
  }
  if (kind === "delete") {
    entities.delete(key);
    return undefined;
  }
  const keepsOld = kind === "merge" || kind === "insertOrMerge";
  const old = keepsOld && present !== undefined ? present.values : {};
  entities.set(key, { token, values: { ...old, ...values } });
  return undefined;
}

export function keyOf(partition: string, row: string): string {
  return `${partition}/${row}`;
}
