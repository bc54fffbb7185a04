import { jsonFault } from "./json-fault.ts";
import { FormError, type PathStep, SQL_LIMITS, type Value } from "./sql.ts";

/** What stands between records, or begins one. */
const BETWEEN = /[^\s]/g;
/** The rest of a record that is neither an object nor an array. */
const SCALAR_END = /[\s,:{}[\]"]/g;
const NO_RECORD = "tokens '{', or '['.";

export interface JsonRecord {
  readonly value: Value;
  /** The offset in the blob. */
  readonly start: number;
  readonly bytes: number;
}

/**
 * Parses JSON records from text that arrives in chunks. Records are found by their brackets and parsed once.
 */
export class JsonReader {
  readonly #separator: string;
  #rest = "";
  #depth = 0;
  #isInText = false;
  /** How far the rest has been scanned. */
  #scanned = 0;
  /** The offset of the rest in the blob. */
  #offset = 0;
  /** The offset of the record that was found last. */
  #position = 0;

  constructor(separator: string) {
    this.#separator = separator;
  }

  get position(): number {
    return this.#position;
  }

  *push(text: string): Generator<JsonRecord> {
    this.#rest += text;
    while (this.#depth > 0 || this.#isAtRecord()) {
      const end = this.#depth === 0 && !this.#isAtBracket() ? this.#scalarEnd() : this.#bracketEnd();
      if (end === undefined) break;
      yield this.#take(end);
    }
    if (this.#rest.length > SQL_LIMITS.recordCharsMax) throw new FormError("a record is too long");
  }

  *end(): Generator<JsonRecord> {
    if (this.#depth > 0) throw new FormError("the JSON of the blob ends inside a record");
    if (this.#isAtRecord()) yield this.#take(this.#rest.length);
  }

  /** Skips what stands in front of a record; false when nothing follows. */
  #isAtRecord(): boolean {
    let at = 0;
    for (;;) {
      BETWEEN.lastIndex = at;
      at = BETWEEN.exec(this.#rest)?.index ?? this.#rest.length;
      if (at === this.#rest.length || !this.#rest.startsWith(this.#separator, at)) break;
      at += this.#separator.length;
    }
    this.#skip(at);
    if (at > 0) this.#scanned = 0;
    return this.#rest !== "";
  }

  #isAtBracket(): boolean {
    return this.#rest[0] === "{" || this.#rest[0] === "[";
  }

  /** The end of a number or a word, when the text has it. */
  #scalarEnd(): number | undefined {
    SCALAR_END.lastIndex = 0;
    const end = SCALAR_END.exec(this.#rest)?.index;
    if (end === 0) this.#fail(0, NO_RECORD);
    return end;
  }

  #bracketEnd(): number | undefined {
    const text = this.#rest;
    for (let at = this.#scanned; at < text.length; at++) {
      const character = text[at]!;
      if (this.#isInText) {
        if (character === "\\") at++;
        else if (character === '"') this.#isInText = false;
      } else if (character === '"') this.#isInText = true;
      else if (character === "{" || character === "[") this.#depth++;
      else if ((character === "}" || character === "]") && --this.#depth === 0) return at + 1;
      this.#scanned = at + 1;
    }
    return undefined;
  }

  #take(end: number): JsonRecord {
    const text = this.#rest.slice(0, end);
    this.#position = this.#offset;
    try {
      const value = JSON.parse(text) as Value;
      this.#skip(end);
      return { value, start: this.#position, bytes: this.#offset - this.#position };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const { at, expecting } = this.#isAtBracket() ? jsonFault(text) : { at: 0, expecting: NO_RECORD };
      return this.#fail(at, expecting);
    }
  }

  /** Azure describes an error by the offset of the character in the blob. */
  #fail(at: number, expecting: string): never {
    const byte = this.#offset + Buffer.byteLength(this.#rest.slice(0, at));
    const token = String.fromCodePoint(this.#rest.codePointAt(at) ?? 0);
    throw new FormError(`Unexpected token '${token}' at [byte: ${byte}]. Expecting ${expecting}`);
  }

  #skip(end: number): void {
    this.#offset += Buffer.byteLength(this.#rest.slice(0, end));
    this.#rest = this.#rest.slice(end);
    this.#scanned = 0;
    this.#depth = 0;
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
