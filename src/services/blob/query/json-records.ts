import { FormError, type PathStep, SQL_LIMITS, type Value } from "./sql.ts";

const OPEN = /[{[]/;

/**
 * JSON records out of text that arrives in pieces: one after another, on a line each or spread over several.
 * Found by their brackets, so a record is parsed once, when it is whole.
 */
export class JsonReader {
  #rest = "";
  #depth = 0;
  #isInText = false;
  /** How far the rest has been looked at. */
  #seen = 0;

  *push(text: string): Generator<Value> {
    this.#rest += text;
    let start = 0;
    for (let at = this.#seen; at < this.#rest.length; at++) {
      const character = this.#rest[at]!;
      if (this.#isInText) {
        if (character === "\\") at++;
        else if (character === '"') this.#isInText = false;
      } else if (character === '"' && this.#depth > 0) this.#isInText = true;
      else if (character === "{" || character === "[") this.#depth++;
      else if (character === "}" || character === "]") {
        if (--this.#depth < 0) throw new FormError("the JSON of the blob is malformed");
        if (this.#depth === 0) {
          yield parse(this.#rest.slice(start, at + 1));
          start = at + 1;
        }
      }
      this.#seen = at + 1;
    }
    this.#rest = this.#rest.slice(start);
    this.#seen -= start;
    if (this.#rest.length > SQL_LIMITS.recordCharsMax) throw new FormError("a record is too long");
  }

  end(): void {
    if (this.#rest.trim() !== "") throw new FormError("the JSON of the blob ends inside a record");
  }
}

function parse(text: string): Value {
  const from = text.search(OPEN);
  try {
    return JSON.parse(from > 0 && text.slice(0, from).trim() === "" ? text.slice(from) : text) as Value;
  } catch (error) {
    if (error instanceof SyntaxError) throw new FormError("the JSON of the blob is malformed");
    throw error;
  }
}

/** Everything a path leads to below a record: [*] stands for each element of a list. */
export function* walkPath(record: Value, path: readonly PathStep[], at = 0): Generator<Value> {
  if (at === path.length) {
    yield record;
    return;
  }
  const step = path[at]!;
  if (step !== "[*]") {
    const next = stepInto(record, step);
    if (next !== null) yield* walkPath(next, path, at + 1);
  } else if (Array.isArray(record)) {
    for (const item of record) yield* walkPath(item as Value, path, at + 1);
  } else yield* walkPath(record, path, at + 1);
}

export function stepInto(value: Value, step: PathStep): Value {
  if (value === null || typeof value !== "object" || value instanceof Date) return null;
  if (typeof step === "number")
    return Array.isArray(value) ? ((value[step] as Value | undefined) ?? null) : null;
  const name = fieldOf(value, step);
  return name === undefined ? null : ((value as Record<string, Value>)[name] ?? null);
}

/** Fields are found by their name, or by one that differs only in upper and lower case. */
function fieldOf(value: object, name: string): string | undefined {
  if (Object.hasOwn(value, name)) return name;
  const lower = name.toLowerCase();
  return Object.keys(value).find((known) => known.toLowerCase() === lower);
}

/** Whether a path ends before its last step. */
export function isAbsent(value: Value, path: readonly PathStep[]): boolean {
  let at = value;
  for (const step of path) {
    if (at === null || typeof at !== "object" || at instanceof Date) return true;
    const isThere =
      typeof step === "number" ? Array.isArray(at) && step in at : fieldOf(at, step) !== undefined;
    if (!isThere) return true;
    at = stepInto(at, step);
  }
  return false;
}
