import { SQL_LIMITS, SqlError } from "./sql.js";
import { callFunction, castTo, compareValues, isLike, numberOf, textOf } from "./sql-functions.js";
/** Three-valued, as SQL is: null is "not known", and what is not known is not taken. */
export function evaluate(expression, row) {
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
        case "like": {
            const text = textOf(evaluate(expression.of, row));
            const pattern = textOf(evaluate(expression.pattern, row));
            if (text === null || pattern === null)
                return null;
            if (pattern.length > SQL_LIMITS.patternCharsMax)
                throw new SqlError("the pattern of LIKE is too long");
            return isLike(text, pattern, expression.escapeMark);
        }
        case "between": {
            const value = evaluate(expression.of, row);
            const low = compareValues(value, evaluate(expression.low, row));
            const high = compareValues(value, evaluate(expression.high, row));
            return low === null || high === null ? null : low >= 0 && high <= 0;
        }
        case "in": {
            const value = evaluate(expression.of, row);
            if (value === null)
                return null;
            return expression.among.some((item) => compareValues(value, evaluate(item, row)) === 0);
        }
        case "cast":
            return castTo(evaluate(expression.of, row), expression.type);
        case "call":
            return callFunction(expression.name, expression.args.map((argument) => evaluate(argument, row)));
        case "case": {
            const branch = expression.branches.find(({ when }) => truth(evaluate(when, row)) === true);
            return evaluate(branch === undefined ? expression.otherwise : branch.result, row);
        }
        case "aggregate":
            throw new SqlError("an aggregate stands where none can be");
    }
}
export function truth(value) {
    return castTo(value, "bool");
}
function binary({ operator, left, right }, row) {
    if (operator === "and" || operator === "or") {
        const decisive = operator === "or";
        const first = truth(evaluate(left, row));
        if (first === decisive)
            return decisive;
        const second = truth(evaluate(right, row));
        if (second === decisive)
            return decisive;
        return first === null || second === null ? null : !decisive;
    }
    const [one, other] = [evaluate(left, row), evaluate(right, row)];
    if (operator === "||") {
        const [a, b] = [textOf(one), textOf(other)];
        return a === null || b === null ? null : a + b;
    }
    if (operator === "+" || operator === "-" || operator === "*" || operator === "/" || operator === "%") {
        return arithmetic(operator, numberOf(one), numberOf(other));
    }
    const order = compareValues(one, other);
    if (order === null)
        return null;
    switch (operator) {
        case "=":
            return order === 0;
        case "<>":
            return order !== 0;
        case "<":
            return order < 0;
        case "<=":
            return order <= 0;
        case ">":
            return order > 0;
        case ">=":
            return order >= 0;
    }
}
function arithmetic(operator, a, b) {
    if (a === null || b === null)
        return null;
    switch (operator) {
        case "+":
            return a + b;
        case "-":
            return a - b;
        case "*":
            return a * b;
        case "/":
            return b === 0 ? null : a / b;
        case "%":
            return b === 0 ? null : a % b;
    }
}
/** One aggregate over the rows that pass by. What is null does not count. */
export class Accumulator {
    #name;
    #of;
    #count = 0;
    #sum = 0;
    #best = null;
    constructor(name, of) {
        this.#name = name;
        this.#of = of;
    }
    add(row) {
        if (this.#of === undefined) {
            this.#count++;
            return;
        }
        const value = evaluate(this.#of, row);
        if (value === null)
            return;
        if (this.#name === "sum" || this.#name === "avg") {
            const number = numberOf(value);
            if (number === null)
                throw new SqlError(`${this.#name} of something that is no number`);
            this.#sum += number;
        }
        else if (this.#name !== "count") {
            const order = this.#best === null ? null : compareValues(value, this.#best);
            const isBetter = order === null || (this.#name === "min" ? order < 0 : order > 0);
            if (isBetter)
                this.#best = value;
        }
        this.#count++;
    }
    result() {
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
