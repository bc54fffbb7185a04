import type { Effort, SqlType, Value } from "./sql.ts";
import { formatTimestamp, parseTimestamp } from "./sql-dates.ts";

/** Functions over values. Null results in null. */

export function textOf(value: Value): string | null {
  if (value === null) return null;
  if (typeof value === "string") return value;
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** CSV has only texts, so a text that is a number counts as one. */
export function numberOf(value: Value): number | null {
  if (typeof value === "number") return value;
  if (value instanceof Date) return value.getTime();
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string" || value.trim() === "") return null;
  const number = Number(value);
  return Number.isNaN(number) ? null : number;
}

/** Negative, zero or positive; null when the two cannot be compared. */
export function compareValues(left: Value, right: Value): number | null {
  if (left === null || right === null) return null;
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : left > right ? 1 : 0;
  if (typeof left === "boolean" || typeof right === "boolean") {
    const [a, b] = [castTo(left, "bool"), castTo(right, "bool")];
    return a === null || b === null ? null : Number(a) - Number(b);
  }
  const isTime = left instanceof Date || right instanceof Date;
  const [a, b] = isTime
    ? [numberOf(castTo(left, "timestamp")), numberOf(castTo(right, "timestamp"))]
    : [numberOf(left), numberOf(right)];
  return a === null || b === null ? null : a - b;
}

export function castTo(value: Value, type: SqlType): Value {
  if (value === null) return null;
  switch (type) {
    case "string":
      return textOf(value);
    case "float":
      return numberOf(value);
    case "int": {
      const number = numberOf(value);
      return number === null ? null : Math.trunc(number);
    }
    case "bool": {
      if (typeof value === "boolean") return value;
      if (typeof value === "number") return value !== 0;
      const text = String(value).trim().toLowerCase();
      return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : null;
    }
    case "timestamp": {
      if (value instanceof Date) return value;
      return typeof value === "string" ? parseTimestamp(value) : null;
    }
  }
}

type Fn = (args: readonly Value[]) => Value;

const onText =
  (fn: (text: string, args: readonly Value[]) => Value): Fn =>
  (args) => {
    const text = textOf(args[0] ?? null);
    return text === null ? null : fn(text, args);
  };

const FUNCTIONS: Readonly<Record<string, Fn>> = {
  lower: onText((text) => text.toLowerCase()),
  upper: onText((text) => text.toUpperCase()),
  char_length: onText((text) => text.length),
  character_length: onText((text) => text.length),
  substring: onText((text, [, from = null, count]) => {
    const start = numberOf(from);
    if (start === null) return null;
    // Positions count from one; positions before the text count toward the length.
    const end = count === undefined ? text.length + 1 : start + (numberOf(count) ?? 0);
    return text.slice(Math.max(0, start - 1), Math.max(0, end - 1));
  }),
  trim_leading: onText((text, [, set = null]) => trimmed(text, set, true, false)),
  trim_trailing: onText((text, [, set = null]) => trimmed(text, set, false, true)),
  trim_both: onText((text, [, set = null]) => trimmed(text, set, true, true)),
  to_string: ([value = null, format = null]) => {
    const [time, form] = [castTo(value, "timestamp"), textOf(format)];
    return form === null || !(time instanceof Date) ? textOf(value) : formatTimestamp(time, form);
  },
  to_timestamp: ([value = null]) => castTo(value, "timestamp"),
  coalesce: (args) => args.find((value) => value !== null) ?? null,
  nullif: ([value = null, other = null]) => (compareValues(value, other) === 0 ? null : value),
};

export function isFunction(name: string): boolean {
  return Object.hasOwn(FUNCTIONS, name);
}

export function callFunction(name: string, args: readonly Value[]): Value {
  return FUNCTIONS[name]!(args);
}

function trimmed(text: string, characters: Value, atStart: boolean, atEnd: boolean): string {
  const set = textOf(characters) ?? " ";
  let [from, to] = [0, text.length];
  while (atStart && from < to && set.includes(text[from]!)) from++;
  while (atEnd && to > from && set.includes(text[to - 1]!)) to--;
  return text.slice(from, to);
}

/**
 * LIKE: % matches any text, _ any character, [abc] one of these. Matching backtracks to the last % only, so
 * no pattern takes longer than the product of both lengths.
 */
export function isLike(text: string, pattern: string, escapeMark: string, effort: Effort): boolean {
  effort.spend(pattern.length);
  const parts = patternParts(pattern, escapeMark);
  let [i, j] = [0, 0];
  let [star, mark] = [-1, 0];
  while (i < text.length) {
    effort.spend(1);
    const part = parts[j];
    if (part === "%") {
      star = j++;
      mark = i;
    } else if (part !== undefined && (part === "_" || part.includes(text[i]!))) {
      i++;
      j++;
    } else if (star >= 0) {
      j = star + 1;
      i = ++mark;
    } else return false;
  }
  while (parts[j] === "%") j++;
  return j === parts.length;
}

/** "%", "_", or a list of matching characters, which may themselves be % and _. */
function patternParts(pattern: string, escapeMark: string): (string | readonly string[])[] {
  const parts: (string | readonly string[])[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i]!;
    const end = character === "[" ? pattern.indexOf("]", i + 2) : -1;
    if (escapeMark !== "" && character === escapeMark && i + 1 < pattern.length) parts.push([pattern[++i]!]);
    else if (character === "%" || character === "_") parts.push(character);
    else if (end > 0) {
      parts.push([...pattern.slice(i + 1, end)]);
      i = end;
    } else parts.push([character]);
  }
  return parts;
}
