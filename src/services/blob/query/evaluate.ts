import type { Aggregate, Arithmetic, Comparison, Effort, Expression, PathStep, Value } from "./sql.ts";
import { RecordError, SQL_LIMITS, SqlError } from "./sql.ts";
import { addToDate, dateDifference, extractFrom } from "./sql-dates.ts";
import { callFunction, castTo, compareValues, isLike, numberOf, textOf } from "./sql-functions.ts";

/** A record as expressions see it. */
export interface Row {
  readonly effort: Effort;
  column(path: readonly PathStep[]): Value;
  /** Absent, which in JSON differs from null. */
  isMissing(path: readonly PathStep[]): boolean;
}

/** Three-valued, as SQL is: null means unknown, and a record whose condition is unknown is left out. */
export function evaluate(expression: Expression, row: Row): Value {
  switch (expression.kind) {
    case "literal":
      return expression.value;
    case "column":
      return row.column(expression.path);
    case "binary":
      return binary(expression, row);
    case "not": {
      const value = truth(evaluate(expression.of, row));
      return value === null ? null : !value;
    }
    case "negate": {
      const value = numberOf(evaluate(expression.of, row));
      return value === null ? null : -value;
    }
    case "isNull":
      return evaluate(expression.of, row) === null;
    case "isMissing":
      return row.isMissing(expression.path);
    case "dateAdd": {
      const count = numberOf(evaluate(expression.count, row));
      const time = timeOf(evaluate(expression.to, row));
      return count === null || time === null ? null : addToDate(expression.part, count, time);
    }
    case "dateDiff": {
      const [from, to] = [timeOf(evaluate(expression.from, row)), timeOf(evaluate(expression.to, row))];
      return from === null || to === null ? null : dateDifference(expression.part, from, to);
    }
    case "extract": {
      const given = evaluate(expression.of, row);
      const time = timeOf(given);
      return time === null ? null : extractFrom(expression.part, time, given);
    }
    case "like": {
      const text = textOf(evaluate(expression.of, row));
      const pattern = textOf(evaluate(expression.pattern, row));
      if (text === null || pattern === null) return null;
      if (pattern.length > SQL_LIMITS.patternCharsMax) throw new SqlError("the pattern of LIKE is too long");
      return isLike(text, pattern, expression.escapeMark, row.effort);
    }
    case "between": {
      const value = evaluate(expression.of, row);
      const low = compared(value, evaluate(expression.low, row));
      const high = compared(value, evaluate(expression.high, row));
      return low === null || high === null ? null : low >= 0 && high <= 0;
    }
    case "in": {
      const value = evaluate(expression.of, row);
      if (value === null) return null;
      return expression.among.some((item) => compareValues(value, evaluate(item, row)) === 0);
    }
    case "cast":
      return castTo(charged(evaluate(expression.of, row), row), expression.type);
    case "call":
      return callFunction(
        expression.name,
        expression.args.map((argument) => charged(evaluate(argument, row), row)),
      );
    case "case": {
      const branch = expression.branches.find(({ when }) => truth(evaluate(when, row)) === true);
      return evaluate(branch === undefined ? expression.otherwise : branch.result, row);
    }
    case "aggregate":
      throw new SqlError("an aggregate is not allowed here");
  }
}

function timeOf(value: Value): Date | null {
  return castTo(value, "timestamp") as Date | null;
}

/** Charges the effort of reading a text from start to end. */
function charged<T extends Value>(value: T, { effort }: Row): T {
  effort.spend(typeof value === "string" ? value.length : 1);
  return value;
}

export function truth(value: Value): boolean | null {
  return castTo(value, "bool") as boolean | null;
}

function binary(
  { operator, left, right }: Extract<Expression, { readonly kind: "binary" }>,
  row: Row,
): Value {
  if (operator === "and" || operator === "or") {
    const decisive = operator === "or";
    const first = truth(evaluate(left, row));
    if (first === decisive) return decisive;
    const second = truth(evaluate(right, row));
    if (second === decisive) return decisive;
    return first === null || second === null ? null : !decisive;
  }
  const [one, other] = [evaluate(left, row), evaluate(right, row)];
  if (operator === "||") {
    const [a, b] = [textOf(one), textOf(other)];
    return a === null || b === null ? null : charged(a + b, row);
  }
  // A number added to a time is a number of days.
  if ((operator === "+" || operator === "-") && one instanceof Date && !(other instanceof Date)) {
    const days = numberOf(other);
    return days === null ? null : addToDate("day", operator === "-" ? -days : days, one);
  }
  if (operator in ARITHMETIC) {
    const [a, b] = [numberOf(one), numberOf(other)];
    return a === null || b === null ? null : ARITHMETIC[operator as Arithmetic](a, b);
  }
  const order = compared(charged(one, row), other);
  return order === null ? null : COMPARISONS[operator as Comparison](order);
}

const ARITHMETIC: Readonly<Record<Arithmetic, (a: number, b: number) => number | null>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => (b === 0 ? null : a / b),
  "%": (a, b) => (b === 0 ? null : a % b),
};

const COMPARISONS: Readonly<Record<Comparison, (order: number) => boolean>> = {
  "=": (order) => order === 0,
  "<>": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

/** A text compared with a number must be a number. An empty field counts as null. */
function compared(one: Value, other: Value): number | null {
  const order = compareValues(one, other);
  if (order !== null) return order;
  const isText = (value: Value): boolean => typeof value === "string" && value.trim() !== "";
  const isMixed = (isText(one) && typeof other === "number") || (isText(other) && typeof one === "number");
  if (isMixed) throw new RecordError("InvalidTypeConversion");
  return null;
}

/** One aggregate over all rows. Null values do not count. */
export class Accumulator {
  readonly #name: Aggregate;
  readonly #of: Expression | undefined;
  #count = 0;
  #sum = 0;
  #best: Value = null;

  constructor(name: Aggregate, of: Expression | undefined) {
    this.#name = name;
    this.#of = of;
  }

  add(row: Row): void {
    if (this.#of === undefined) {
      this.#count++;
      return;
    }
    const value = evaluate(this.#of, row);
    if (value === null) return;
    if (this.#name === "sum" || this.#name === "avg") {
      const number = numberOf(value);
      if (number === null) throw new SqlError(`${this.#name} of a value that is not a number`);
      this.#sum += number;
    } else if (this.#name !== "count") {
      const order = this.#best === null ? null : compareValues(value, this.#best);
      const isBetter = order === null || (this.#name === "min" ? order < 0 : order > 0);
      if (isBetter) this.#best = value;
    }
    this.#count++;
  }

  result(): Value {
    switch (this.#name) {
      case "count":
        return this.#count;
      case "sum":
        return this.#count === 0 ? null : this.#sum;
      case "avg":
        return this.#count === 0 ? null : this.#sum / this.#count;
      default:
        return this.#best;
    }
  }
}
