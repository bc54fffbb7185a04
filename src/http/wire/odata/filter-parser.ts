import { Refusal } from "../../../base/refusals.ts";
import type { ComparisonOperator, Filter } from "../../../services/table/filter/filter.ts";
import { TABLE_LIMITS } from "../../../services/table/limits.ts";
import { type FilterToken, FilterTokens } from "./filter-tokens.ts";

/**
 * `$filter`, by recursive descent. Depth and the number of comparisons are bounded, so that a hostile filter
 * costs its parser and its evaluator little.
 *
 *   or         = and ("or" and)*
 *   and        = unary ("and" unary)*
 *   unary      = "not" unary | "(" or ")" | comparison | property | true | false
 *   comparison = property operator literal | literal operator property
 */
export function parseFilter(text: string): Filter {
  return new FilterParser(text).parse();
}

/** With the literal first: `5 lt Age` means `Age gt 5`. */
const MIRRORED = { eq: "eq", ne: "ne", gt: "lt", ge: "le", lt: "gt", le: "ge" } as const;

const RESERVED = new Set(["and", "or", "not", ...Object.keys(MIRRORED)]);

class FilterParser {
  readonly #tokens: FilterTokens;
  #token: FilterToken;
  #depth = 0;
  #comparisons = 0;

  constructor(text: string) {
    this.#tokens = new FilterTokens(text);
    this.#token = this.#tokens.next();
  }

  parse(): Filter {
    const filter = this.#or();
    if (this.#token.kind !== "end") throw this.#unexpected();
    return filter;
  }

  #or(): Filter {
    return this.#chain("or", () => this.#chain("and", () => this.#unary()));
  }

  #chain(kind: "and" | "or", operand: () => Filter): Filter {
    const first = operand();
    if (!this.#isWord(kind)) return first;
    const operands = [first];
    while (this.#isWord(kind)) {
      this.#advance();
      operands.push(operand());
    }
    return { kind, operands };
  }

  #unary(): Filter {
    if (this.#isWord("not")) {
      this.#advance();
      return this.#deeper(() => ({ kind: "not", operand: this.#unary() }));
    }
    if (this.#token.kind === "open") {
      this.#advance();
      return this.#deeper(() => {
        const inner = this.#or();
        if (this.#token.kind !== "close") throw this.#unexpected();
        this.#advance();
        return inner;
      });
    }
    return this.#comparison();
  }

  #deeper(run: () => Filter): Filter {
    if (++this.#depth > TABLE_LIMITS.filterDepthMax) throw tooComplex("It is nested too deeply.");
    const filter = run();
    this.#depth--;
    return filter;
  }

  #comparison(): Filter {
    if (++this.#comparisons > TABLE_LIMITS.filterComparisonsMax)
      throw tooComplex("It holds too many comparisons.");
    const left = this.#operand();
    const operator = this.#operator();
    if (operator === undefined) {
      if (left.kind === "word") return { kind: "property", property: left.word };
      if (left.literal.type === "Boolean") return { kind: "constant", value: left.literal.value };
      if (this.#token.kind !== "end") throw this.#unexpected();
      throw new Refusal("InvalidInput", {
        text: "The $filter expression must evaluate to a single boolean value.",
      });
    }
    this.#advance();
    const right = this.#operand();
    if (left.kind === "word" && right.kind === "literal")
      return { kind: "comparison", property: left.word, operator, literal: right.literal };
    if (left.kind === "literal" && right.kind === "word") {
      const { literal } = left;
      return { kind: "comparison", property: right.word, operator: MIRRORED[operator], literal };
    }
    throw this.#tokens.fail(right.end);
  }

  #operand(): Extract<FilterToken, { kind: "word" | "literal" }> {
    const token = this.#token;
    if (token.kind !== "word" && token.kind !== "literal") throw this.#unexpected();
    if (token.kind === "word") {
      if (RESERVED.has(token.word)) throw this.#unexpected();
      // The service has none of OData's functions.
      if (this.#tokens.isCall()) throw new Refusal("NotImplemented");
    }
    this.#advance();
    return token;
  }

  #operator(): ComparisonOperator | undefined {
    if (this.#token.kind !== "word") return undefined;
    const { word } = this.#token;
    return Object.hasOwn(MIRRORED, word) ? (word as ComparisonOperator) : undefined;
  }

  #isWord(word: string): boolean {
    return this.#token.kind === "word" && this.#token.word === word;
  }

  #advance(): void {
    this.#token = this.#tokens.next();
  }

  #unexpected(): Refusal {
    return this.#tokens.fail(this.#token.end);
  }
}

function tooComplex(reason: string): Refusal {
  return new Refusal("InvalidInput", { text: `The filter is too complex. ${reason}` });
}
