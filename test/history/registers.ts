import type { Operation, Sequential } from "./linearizability.ts";

/**
 * Values under keys, with the ETag of each: a blob, the entities of one partition, the pages of one file. An
 * operation changes several of them at once or not at all, or reads several at one moment. Where the protocol
 * has no ETag for a part (a page of a file), none is told and none is checked.
 *
 * Every value that is written is written once: a value tells which write it comes from.
 */
export interface Present {
  readonly value: string;
  readonly etag?: string | undefined;
}

export type Change =
  | { readonly kind: "put"; readonly key: string; readonly value: string; readonly condition?: Condition }
  /** It must be there. */
  | { readonly kind: "delete"; readonly key: string; readonly condition?: Condition }
  /** Whether it is there or not. */
  | { readonly kind: "clear"; readonly key: string; readonly condition?: undefined };

export type Condition =
  /** It must be there with this ETag. */
  | { readonly ifMatch: string }
  /** It must be there, with any. */
  | { readonly ifMatch: "*" }
  /** It must not be there. */
  | { readonly ifNoneMatch: "*" };

export type RegisterInput =
  | { readonly do: "change"; readonly changes: readonly Change[] }
  | { readonly do: "read"; readonly keys: readonly string[] };

export type RegisterOutput =
  /** Done; the new ETags in the order of the changes, undefined for what has none. */
  | { readonly done: readonly (string | undefined)[] }
  /** Not done, as a condition does not hold. The index, where the protocol tells it. */
  | { readonly refused: "exists" | "missing" | "notMet"; readonly index?: number | undefined }
  | { readonly found: readonly (Present | undefined)[] };

export interface RegisterOperation extends Operation {
  readonly client: number;
  readonly input: RegisterInput;
  readonly output: RegisterOutput | undefined;
}

type Values = ReadonlyMap<string, Present>;

/**
 * `history` is looked through for the ETags of writes whose reply nobody heard: a later reader may have met
 * them.
 */
export function registers(
  history: readonly RegisterOperation[],
  initial: Values = new Map(),
): Sequential<Values, RegisterOperation> {
  const etags = etagsSeen(history);
  return {
    initial,
    step(values, { input, output }) {
      if (input.do === "read") return readFits(values, input.keys, output) ? values : undefined;
      const trouble = firstTrouble(values, input.changes);
      if (output === undefined) {
        return trouble === undefined
          ? changed(values, input.changes, (value) => etags.get(value))
          : undefined;
      }
      if ("refused" in output) return isRefusedSo(values, input.changes, output) ? values : undefined;
      if (!("done" in output) || trouble !== undefined) return undefined;
      const told = (value: string): string | undefined =>
        output.done[input.changes.findIndex((change) => change.kind === "put" && change.value === value)];
      return changed(values, input.changes, told);
    },
    keyOf: (values) =>
      [...values]
        .map(([key, { value }]) => `${key}=${value}`)
        .sort()
        .join(" "),
  };
}

function etagsSeen(history: readonly RegisterOperation[]): Map<string, string> {
  const etags = new Map<string, string>();
  for (const { output } of history) {
    if (output === undefined || !("found" in output)) continue;
    for (const one of output.found) if (one?.etag !== undefined) etags.set(one.value, one.etag);
  }
  return etags;
}

function readFits(values: Values, keys: readonly string[], output: RegisterOutput | undefined): boolean {
  if (output === undefined || !("found" in output)) return false;
  return keys.every((key, index) => {
    const found = output.found[index];
    const present = values.get(key);
    if (found === undefined || present === undefined) return found === present;
    // Nobody has told the ETag of a write without a reply, unless a reader has: then etagsSeen knows it.
    return found.value === present.value && (found.etag === undefined || found.etag === present.etag);
  });
}

function troubleOf(
  values: Values,
  { kind, key, condition }: Change,
): "exists" | "missing" | "notMet" | undefined {
  const present = values.get(key);
  if (condition !== undefined && "ifNoneMatch" in condition)
    return present === undefined ? undefined : "exists";
  if (present === undefined) {
    return kind === "delete" || condition !== undefined ? "missing" : undefined;
  }
  if (condition === undefined || condition.ifMatch === "*") return undefined;
  return condition.ifMatch === present.etag ? undefined : "notMet";
}

function firstTrouble(values: Values, changes: readonly Change[]): string | undefined {
  for (const change of changes) {
    const trouble = troubleOf(values, change);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

function isRefusedSo(
  values: Values,
  changes: readonly Change[],
  { refused, index }: { readonly refused: string; readonly index?: number | undefined },
): boolean {
  const at = index ?? changes.findIndex((change) => troubleOf(values, change) !== undefined);
  const change = changes[at];
  if (change === undefined) return false;
  const trouble = troubleOf(values, change);
  // Blobs answer an If-Match of what is not there as one that does not match; tables say that it is missing.
  return (
    trouble === refused || (trouble === "missing" && refused === "notMet" && change.condition !== undefined)
  );
}

function changed(
  values: Values,
  changes: readonly Change[],
  etagOf: (value: string) => string | undefined,
): Values {
  const next = new Map(values);
  for (const change of changes) {
    if (change.kind !== "put") next.delete(change.key);
    else next.set(change.key, { value: change.value, etag: etagOf(change.value) });
  }
  return next;
}

/** No ETag may stand for two values: a writer that compares it would overwrite what it never saw. */
export function reusedEtag(history: readonly RegisterOperation[]): string | undefined {
  const valueUnder = new Map<string, string>();
  const isReused = (key: string, etag: string | undefined, value: string): boolean => {
    if (etag === undefined) return false;
    const known = valueUnder.get(`${key} ${etag}`);
    valueUnder.set(`${key} ${etag}`, value);
    return known !== undefined && known !== value;
  };
  for (const { input, output } of history) {
    if (output === undefined) continue;
    if (input.do === "read" && "found" in output) {
      for (const [index, found] of output.found.entries()) {
        if (found !== undefined && isReused(input.keys[index]!, found.etag, found.value)) return found.etag;
      }
    } else if (input.do === "change" && "done" in output) {
      for (const [index, change] of input.changes.entries()) {
        const etag = output.done[index];
        if (change.kind === "put" && isReused(change.key, etag, change.value)) return etag;
      }
    }
  }
  return undefined;
}
