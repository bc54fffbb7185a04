import type { Instant } from "../../../base/clock.ts";
import {
  type Aggregate,
  type BinaryOperator,
  type Expression,
  type PathStep,
  SQL_LIMITS,
  type SqlColumn,
  SqlError,
  type SqlQuery,
  type SqlType,
} from "./sql.ts";
import { datePartOf, extractPartOf } from "./sql-dates.ts";
import { isFunction } from "./sql-functions.ts";
import { sqlTokens, TokenReader } from "./sql-tokens.ts";

/** Throws `SqlError` when the text is not a query. `now` is the value of UTCNOW() for every record. */
export function parseSql(text: string, now: Instant): SqlQuery {
  return new SqlParser(new TokenReader(sqlTokens(text)), now).query();
}

const TYPES: Readonly<Record<string, SqlType>> = {
  int: "int",
  integer: "int",
  float: "float",
  decimal: "float",
  numeric: "float",
  string: "string",
  bool: "bool",
  boolean: "bool",
  timestamp: "timestamp",
};

const AGGREGATES: Readonly<Record<string, Aggregate>> = {
  count: "count",
  sum: "sum",
  avg: "avg",
  average: "avg",
  min: "min",
  max: "max",
};
const AFTER_FROM = ["where", "limit"];
const COMPARISONS: readonly BinaryOperator[] = ["=", "<>", "<=", ">=", "<", ">"];

class SqlParser {
  readonly #tokens: TokenReader;
  #alias: string | undefined;
  #depth = 0;
  readonly #now: Instant;

  constructor(tokens: TokenReader, now: Instant) {
    this.#tokens = tokens;
    this.#now = now;
  }

  query(): SqlQuery {
    const tokens = this.#tokens;
    tokens.expectWord("select");
    const splitBytes = this.#split();
    const columns = splitBytes === undefined ? this.#columns() : undefined;
    tokens.expectWord("from");
    const from = this.#from();
    const where = tokens.word("where") ? this.#expression() : undefined;
    const limit = tokens.word("limit") ? this.#limit() : undefined;
    tokens.sign(";");
    if (!tokens.isAtEnd) throw new SqlError("unexpected text after the end of the query");
    if (splitBytes !== undefined && where !== undefined) throw new SqlError("sys.split takes all records");
    return checked({ columns, from, alias: this.#alias, where, limit, splitBytes });
  }

  /** sys.split(bytes) in the place of columns */
  #split(): number | undefined {
    const tokens = this.#tokens;
    if (!tokens.isWord("sys") || !tokens.isSign(".", 1) || !tokens.isWord("split", 2)) return undefined;
    for (let i = 0; i < 3; i++) tokens.take();
    tokens.expectSign("(");
    const bytes = this.#limit();
    tokens.expectSign(")");
    if (bytes < SQL_LIMITS.splitBytesMin) {
      throw new SqlError(`sys.split takes ${SQL_LIMITS.splitBytesMin} bytes or more`);
    }
    return bytes;
  }

  #columns(): SqlColumn[] | undefined {
    if (this.#tokens.sign("*")) return undefined;
    const columns: SqlColumn[] = [];
    do {
      const expression = this.#expression();
      const hasName = this.#tokens.word("as") || this.#isName();
      columns.push({ name: hasName ? this.#name() : undefined, expression });
      if (columns.length > SQL_LIMITS.columnsMax) throw new SqlError("too many columns");
    } while (this.#tokens.sign(","));
    return columns;
  }

  #isName(): boolean {
    const token = this.#tokens.peek();
    return token?.kind === "word" && (token.isQuoted || token.text.toLowerCase() !== "from");
  }

  #name(): string {
    const token = this.#tokens.take();
    if (token.kind !== "word") throw new SqlError("a name is expected");
    return token.text;
  }

  #from(): PathStep[] {
    if (this.#name().toLowerCase() !== "blobstorage") throw new SqlError("only BlobStorage can be queried");
    const path = this.#steps();
    const token = this.#tokens.peek();
    const isAlias = token?.kind === "word" && !AFTER_FROM.includes(token.text.toLowerCase());
    if (this.#tokens.word("as") || isAlias) this.#alias = this.#name();
    return path;
  }

  #steps(): PathStep[] {
    const steps: PathStep[] = [];
    for (;;) {
      if (this.#tokens.sign(".")) steps.push(this.#name());
      else if (this.#tokens.sign("[")) {
        steps.push(this.#index());
        this.#tokens.expectSign("]");
      } else return steps;
    }
  }

  #index(): PathStep {
    if (this.#tokens.sign("*")) return "[*]";
    const token = this.#tokens.take();
    if (token.kind === "text") return token.text;
    if (token.kind !== "number" || !Number.isSafeInteger(token.value))
      throw new SqlError("an index is expected");
    return token.value;
  }

  #limit(): number {
    const token = this.#tokens.take();
    if (token.kind !== "number" || !Number.isSafeInteger(token.value))
      throw new SqlError("a whole number is expected");
    return token.value;
  }

  #expression(): Expression {
    if (++this.#depth > SQL_LIMITS.depthMax) throw new SqlError("the expression is nested too deeply");
    let left = this.#conjunction();
    while (this.#tokens.word("or")) left = binary("or", left, this.#conjunction());
    this.#depth--;
    return left;
  }

  #conjunction(): Expression {
    let left = this.#negation();
    while (this.#tokens.word("and")) left = binary("and", left, this.#negation());
    return left;
  }

  #negation(): Expression {
    let isNegated = false;
    while (this.#tokens.word("not")) isNegated = !isNegated;
    const of = this.#predicate();
    return isNegated ? { kind: "not", of } : of;
  }

  #predicate(): Expression {
    const of = this.#sum();
    const tokens = this.#tokens;
    for (const operator of COMPARISONS) if (tokens.sign(operator)) return binary(operator, of, this.#sum());
    if (tokens.word("is")) {
      const isNot = tokens.word("not");
      if (tokens.word("null")) return negatedIf(isNot, { kind: "isNull", of });
      tokens.expectWord("missing");
      if (of.kind !== "column") throw new SqlError("only a column can be missing");
      return negatedIf(isNot, { kind: "isMissing", path: of.path });
    }
    const isNot = tokens.isWord("not") && tokens.word("not");
    if (tokens.word("like")) {
      const pattern = this.#sum();
      const escapeMark = tokens.word("escape") ? this.#text() : "";
      return negatedIf(isNot, { kind: "like", of, pattern, escapeMark });
    }
    if (tokens.word("between")) {
      const low = this.#sum();
      tokens.expectWord("and");
      return negatedIf(isNot, { kind: "between", of, low, high: this.#sum() });
    }
    if (tokens.word("in")) return negatedIf(isNot, { kind: "in", of, among: this.#list() });
    if (isNot) throw new SqlError("LIKE, BETWEEN or IN is expected");
    return of;
  }

  #text(): string {
    const token = this.#tokens.take();
    if (token.kind !== "text") throw new SqlError("a text is expected");
    return token.text;
  }

  #list(): Expression[] {
    this.#tokens.expectSign("(");
    const items: Expression[] = [];
    if (this.#tokens.sign(")")) return items;
    do items.push(this.#expression());
    while (this.#tokens.sign(","));
    this.#tokens.expectSign(")");
    return items;
  }

  #sum(): Expression {
    let left = this.#product();
    for (;;) {
      const operator = (["+", "-", "||"] as const).find((sign) => this.#tokens.sign(sign));
      if (operator === undefined) return left;
      left = binary(operator, left, this.#product());
    }
  }

  #product(): Expression {
    let left = this.#factor();
    for (;;) {
      const operator = (["*", "/", "%"] as const).find((sign) => this.#tokens.sign(sign));
      if (operator === undefined) return left;
      left = binary(operator, left, this.#factor());
    }
  }

  #factor(): Expression {
    let isNegated = false;
    while (this.#tokens.isSign("-") || this.#tokens.isSign("+")) {
      if (this.#tokens.sign("-")) isNegated = !isNegated;
      else this.#tokens.sign("+");
    }
    const of = this.#primary();
    return isNegated ? { kind: "negate", of } : of;
  }

  #primary(): Expression {
    const tokens = this.#tokens;
    if (tokens.sign("(")) {
      const inner = this.#expression();
      tokens.expectSign(")");
      return inner;
    }
    const token = tokens.take();
    if (token.kind === "text") return { kind: "literal", value: token.text };
    if (token.kind === "number") return { kind: "literal", value: token.value };
    if (token.kind === "sign") throw new SqlError(`unexpected '${token.text}'`);
    if (token.isQuoted) return this.#column(token.text);
    const word = token.text.toLowerCase();
    if (word === "null" || word === "missing") return { kind: "literal", value: null };
    if (word === "true" || word === "false") return { kind: "literal", value: word === "true" };
    if (word === "case") return this.#case();
    if (tokens.isSign("(")) return this.#call(word);
    return this.#column(token.text);
  }

  #column(first: string): Expression {
    const rest = this.#steps();
    const isRoot = first.toLowerCase() === "blobstorage" && rest.length > 0;
    return { kind: "column", path: isRoot ? rest : [first, ...rest] };
  }

  #case(): Expression {
    const branches: { readonly when: Expression; readonly result: Expression }[] = [];
    while (this.#tokens.word("when")) {
      const when = this.#expression();
      this.#tokens.expectWord("then");
      branches.push({ when, result: this.#expression() });
    }
    if (branches.length === 0) throw new SqlError("WHEN is expected");
    const otherwise: Expression = this.#tokens.word("else")
      ? this.#expression()
      : { kind: "literal", value: null };
    this.#tokens.expectWord("end");
    return { kind: "case", branches, otherwise };
  }

  #call(name: string): Expression {
    const tokens = this.#tokens;
    const aggregate = Object.hasOwn(AGGREGATES, name) ? AGGREGATES[name] : undefined;
    if (aggregate !== undefined) {
      tokens.expectSign("(");
      const of = tokens.sign("*") ? undefined : this.#expression();
      tokens.expectSign(")");
      if (of === undefined && name !== "count") throw new SqlError(`${name} takes an expression`);
      return { kind: "aggregate", name: aggregate, of };
    }
    if (name === "cast") {
      tokens.expectSign("(");
      const of = this.#expression();
      tokens.expectWord("as");
      const name = this.#name().toLowerCase();
      const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
      if (type === undefined) throw new SqlError("there is no such type");
      tokens.expectSign(")");
      return { kind: "cast", of, type };
    }
    if (name === "utcnow") {
      if (this.#list().length > 0) throw new SqlError("UTCNOW takes nothing");
      return { kind: "literal", value: new Date(this.#now) };
    }
    if (name === "date_add" || name === "date_diff") return this.#dateCall(name);
    if (name === "extract") return this.#extract();
    if (name === "trim") return this.#trim();
    if (name === "substring") return this.#substring();
    if (!isFunction(name)) throw new SqlError(`there is no function ${name}`);
    return { kind: "call", name, args: this.#list() };
  }

  /** DATE_ADD(part, count, time), DATE_DIFF(part, time, time); the part with or without quotes */
  #dateCall(name: "date_add" | "date_diff"): Expression {
    const tokens = this.#tokens;
    tokens.expectSign("(");
    const part = datePartOf(this.#partName());
    tokens.expectSign(",");
    const first = this.#expression();
    tokens.expectSign(",");
    const to = this.#expression();
    tokens.expectSign(")");
    return name === "date_add"
      ? { kind: "dateAdd", part, count: first, to }
      : { kind: "dateDiff", part, from: first, to };
  }

  /** EXTRACT(part FROM time) */
  #extract(): Expression {
    const tokens = this.#tokens;
    tokens.expectSign("(");
    const part = extractPartOf(this.#partName());
    tokens.expectWord("from");
    const of = this.#expression();
    tokens.expectSign(")");
    return { kind: "extract", part, of };
  }

  #partName(): string {
    const token = this.#tokens.take();
    if (token.kind !== "word" && token.kind !== "text") throw new SqlError("a part of a time is expected");
    return token.text;
  }

  /** TRIM([LEADING | TRAILING | BOTH] [characters FROM] text) */
  #trim(): Expression {
    const tokens = this.#tokens;
    tokens.expectSign("(");
    const side = ["leading", "trailing", "both"].find((word) => tokens.word(word)) ?? "both";
    let of: Expression | undefined = tokens.isWord("from") ? undefined : this.#expression();
    let characters: Expression = { kind: "literal", value: " " };
    if (tokens.word("from")) {
      if (of !== undefined) characters = of;
      of = this.#expression();
    }
    tokens.expectSign(")");
    if (of === undefined) throw new SqlError("TRIM takes a text");
    return { kind: "call", name: `trim_${side}`, args: [of, characters] };
  }

  /**
   * SUBSTRING(text, from [, length]) or SUBSTRING(text FROM from [FOR length]). With commas, positions count
   * from zero, as the service's reference shows; in the standard's own form they count from one.
   */
  #substring(): Expression {
    const tokens = this.#tokens;
    tokens.expectSign("(");
    const args = [this.#expression()];
    const isFromZero = tokens.isSign(",");
    if (tokens.sign(",") || tokens.word("from")) args.push(this.#expression());
    if (tokens.sign(",") || tokens.word("for")) args.push(this.#expression());
    tokens.expectSign(")");
    if (args.length < 2) throw new SqlError("SUBSTRING takes a position");
    if (isFromZero) args[1] = binary("+", args[1]!, { kind: "literal", value: 1 });
    return { kind: "call", name: "substring", args };
  }
}

function binary(operator: BinaryOperator, left: Expression, right: Expression): Expression {
  return { kind: "binary", operator, left, right };
}

function negatedIf(isNot: boolean, of: Expression): Expression {
  return isNot ? { kind: "not", of } : of;
}

/** A query has either aggregates or columns of single records. */
function checked(query: SqlQuery): SqlQuery {
  const { columns = [] } = query;
  const aggregates = columns.filter(({ expression }) => expression.kind === "aggregate");
  if (aggregates.length > 0 && aggregates.length < columns.length) {
    throw new SqlError("aggregates and columns cannot be mixed");
  }
  return query;
}
