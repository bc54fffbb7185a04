import { FormError, type PathStep, SQL_LIMITS, type Value } from "./sql.ts";

const OPEN = /[{[]/;

/**
 * Parses JSON records from text that arrives in chunks. Records are found by their brackets and parsed once.
 */
export class JsonReader {
  #rest = "";
  #depth = 0;
  #isInText = false;
  /** How far the rest has been scanned. */
  #scanned = 0;

  *push(text: string): Generator<Value> {
    this.#rest += text;
    let start = 0;
    for (let at = this.#scanned; at < this.#rest.length; at++) {
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
      this.#scanned = at + 1;
    }
    this.#rest = this.#rest.slice(start);
    this.#scanned -= start;
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

/** All values at a path below a record; [*] stands for each element of an array. */
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

/** Fields are found by their exact name, or else regardless of case. */
function fieldOf(value: object, name: string): string | undefined {
  if (Object.hasOwn(value, name)) return name;
  const lower = name.toLowerCase();
  return Object.keys(value).find((field) => field.toLowerCase() === lower);
}

/** Whether a step of the path does not exist. */
export function isAbsent(value: Value, path: readonly PathStep[]): boolean {
  let at = value;
  for (const step of path) {
    if (at === null || typeof at !== "object" || at instanceof Date) return true;
    const exists =
      typeof step === "number" ? Array.isArray(at) && step in at : fieldOf(at, step) !== undefined;
    if (!exists) return true;
    at = stepInto(at, step);
  }
  return false;
}
