import type { EdmValue } from "../../../base/edm.ts";
import { Refusal } from "../../../base/refusals.ts";
import { TABLE_LIMITS } from "../../../services/table/limits.ts";
import { parseGuid } from "../guid.ts";
import { parseTicks } from "./times.ts";

/** The tokens of a `$filter`. `end` is the end of the token in the text, which errors name. */
export type FilterToken =
  | { readonly kind: "open" | "close" | "end"; readonly end: number }
  | { readonly kind: "word"; readonly word: string; readonly end: number }
  | { readonly kind: "literal"; readonly literal: EdmValue; readonly end: number };

const WORD = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*/uy;
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?([LlDdFfMm]?)/y;
/** As OData and .NET's client spell it; INF and NaN are words. */
const MINUS_INFINITY = "-INF";
const NUMBER_CHARS_MAX = 400;
const HEX = /^(?:[0-9a-f]{2})*$/i;

/** A filter may span several lines. */
function isBlank(sign: string | undefined): boolean {
  return sign === " " || sign === "\t" || sign === "\n" || sign === "\r";
}

export class FilterTokens {
  readonly text: string;
  #at = 0;

  constructor(text: string) {
    this.text = text;
  }

  next(): FilterToken {
    const { text } = this;
    while (isBlank(text[this.#at])) this.#at++;
    const sign = text[this.#at];
    if (sign === undefined) return { kind: "end", end: text.length };
    if (sign === "(" || sign === ")") {
      this.#at++;
      return { kind: sign === "(" ? "open" : "close", end: this.#at };
    }
    if (sign === "'") return this.#literal({ type: "String", value: this.#quoted() });
    WORD.lastIndex = this.#at;
    const word = WORD.exec(text)?.[0];
    if (word === undefined) return this.#number();
    this.#at += word.length;
    if (text[this.#at] === "'") return this.#literal(this.#marked(word));
    if (/^(?:true|false)$/i.test(word))
      return this.#literal({ type: "Boolean", value: word.length === "true".length });
    if (word === "NaN" || word === "INF")
      return this.#literal({ type: "Double", value: word === "NaN" ? Number.NaN : Number.POSITIVE_INFINITY });
    return { kind: "word", word, end: this.#at };
  }

  /** Whether a parenthesis follows the last word: a function. */
  isCall(): boolean {
    return this.text[this.#at] === "(";
  }

  fail(position: number = this.#at): Refusal {
    const quoted = this.text.toWellFormed().slice(0, TABLE_LIMITS.errorQuoteCharsMax);
    return new Refusal("InvalidInput", { text: `Syntax error at position ${position} in '${quoted}'.` });
  }

  /** A blank, a parenthesis or the end follows a literal: `5x` and `'a''` are none. */
  #literal(literal: EdmValue): FilterToken {
    const after = this.text[this.#at];
    if (after !== undefined && after !== ")" && !isBlank(after)) throw this.fail();
    return { kind: "literal", literal, end: this.#at };
  }

  #quoted(): string {
    const start = this.#at + 1;
    let end = this.text.indexOf("'", start);
    let hasQuotes = false;
    while (end >= 0 && this.text[end + 1] === "'") {
      hasQuotes = true;
      end = this.text.indexOf("'", end + 2);
    }
    if (end < 0) throw this.fail(this.text.length);
    this.#at = end + 1;
    const raw = this.text.slice(start, end);
    return hasQuotes ? raw.replaceAll("''", "'") : raw;
  }

  /** `datetime'..'`, `guid'..'`, `X'..'`, `binary'..'` */
  #marked(mark: string): EdmValue {
    const content = this.#quoted();
    switch (mark) {
      case "datetime": {
        const ticks = parseTicks(content);
        if (ticks !== undefined) return { type: "DateTime", value: ticks };
        break;
      }
      case "guid": {
        const guid = parseGuid(content);
        if (guid !== undefined) return { type: "Guid", value: guid };
        break;
      }
      case "X":
      case "x":
      case "binary":
        if (HEX.test(content)) return { type: "Binary", value: Buffer.from(content, "hex") };
        break;
    }
    throw this.fail();
  }

  #number(): FilterToken {
    if (this.text.startsWith(MINUS_INFINITY, this.#at)) {
      this.#at += MINUS_INFINITY.length;
      return this.#literal({ type: "Double", value: Number.NEGATIVE_INFINITY });
    }
    NUMBER.lastIndex = this.#at;
    const found = NUMBER.exec(this.text);
    if (found === null || found[0].length > NUMBER_CHARS_MAX) throw this.fail(this.#at + 1);
    this.#at += found[0].length;
    const literal = numberOf(found[0], found[1]!);
    if (literal === undefined) throw this.fail();
    return this.#literal(literal);
  }
}

function numberOf(text: string, suffix: string): EdmValue | undefined {
  const digits = suffix === "" ? text : text.slice(0, -1);
  const isWhole = /^[+-]?\d+$/.test(digits);
  if (suffix === "L" || suffix === "l") return isWhole ? int64Of(digits) : undefined;
  const value = Number(digits);
  if (suffix === "" && isWhole) {
    if (value >= -(2 ** 31) && value < 2 ** 31) return { type: "Int32", value };
    return int64Of(digits) ?? { type: "Double", value };
  }
  return Number.isFinite(value) ? { type: "Double", value } : undefined;
}

function int64Of(digits: string): EdmValue | undefined {
  if (digits.length > 24) return undefined;
  const value = BigInt(digits.startsWith("+") ? digits.slice(1) : digits);
  return BigInt.asIntN(64, value) === value ? { type: "Int64", value } : undefined;
}
