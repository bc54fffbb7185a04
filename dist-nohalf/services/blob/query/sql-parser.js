import { SQL_LIMITS, SqlError, } from "./sql.js";
import { isFunction } from "./sql-functions.js";
import { sqlTokens, TokenReader } from "./sql-tokens.js";
/** Throws `SqlError` when the text is not a query. */
export function parseSql(text) {
    return new SqlParser(new TokenReader(sqlTokens(text))).query();
}
const TYPES = {
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
const AGGREGATES = new Set(["count", "sum", "avg", "min", "max"]);
const AFTER_FROM = ["where", "limit"];
const COMPARISONS = ["=", "<>", "<=", ">=", "<", ">"];
class SqlParser {
    #tokens;
    #alias;
    #depth = 0;
    constructor(tokens) {
        this.#tokens = tokens;
    }
    query() {
        const tokens = this.#tokens;
        tokens.expectWord("select");
        const columns = this.#columns();
        tokens.expectWord("from");
        const from = this.#from();
        const where = tokens.word("where") ? this.#expression() : undefined;
        const limit = tokens.word("limit") ? this.#limit() : undefined;
        tokens.sign(";");
        if (!tokens.isAtEnd)
            throw new SqlError("there is more after the end of the query");
        return checked({ columns, from, alias: this.#alias, where, limit });
    }
    #columns() {
        if (this.#tokens.sign("*"))
            return undefined;
        const columns = [];
        do {
            const expression = this.#expression();
            const hasName = this.#tokens.word("as") || this.#isName();
            columns.push({ name: hasName ? this.#name() : undefined, expression });
            if (columns.length > SQL_LIMITS.columnsMax)
                throw new SqlError("too many columns");
        } while (this.#tokens.sign(","));
        return columns;
    }
    #isName() {
        const token = this.#tokens.peek();
        return token?.kind === "word" && (token.isQuoted || token.text.toLowerCase() !== "from");
    }
    #name() {
        const token = this.#tokens.take();
        if (token.kind !== "word")
            throw new SqlError("a name is expected");
        return token.text;
    }
    #from() {
        if (this.#name().toLowerCase() !== "blobstorage")
            throw new SqlError("only BlobStorage can be queried");
        const path = this.#steps();
        const token = this.#tokens.peek();
        const isAlias = token?.kind === "word" && !AFTER_FROM.includes(token.text.toLowerCase());
        if (this.#tokens.word("as") || isAlias)
            this.#alias = this.#name();
        return path;
    }
    #steps() {
        const steps = [];
        for (;;) {
            if (this.#tokens.sign("."))
                steps.push(this.#name());
            else if (this.#tokens.sign("[")) {
                steps.push(this.#index());
                this.#tokens.expectSign("]");
            }
            else
                return steps;
        }
    }
    #index() {
        if (this.#tokens.sign("*"))
            return "[*]";
        const token = this.#tokens.take();
        if (token.kind === "text")
            return token.text;
        if (token.kind !== "number" || !Number.isSafeInteger(token.value))
            throw new SqlError("an index is expected");
        return token.value;
    }
    #limit() {
        const token = this.#tokens.take();
        if (token.kind !== "number" || !Number.isSafeInteger(token.value))
            throw new SqlError("LIMIT takes a number");
        return token.value;
    }
    /** Brackets and operators nest; there is an end to it. */
    #expression() {
        if (++this.#depth > SQL_LIMITS.depthMax)
            throw new SqlError("the expression is nested too deeply");
        let left = this.#conjunction();
        while (this.#tokens.word("or"))
            left = binary("or", left, this.#conjunction());
        this.#depth--;
        return left;
    }
    #conjunction() {
        let left = this.#negation();
        while (this.#tokens.word("and"))
            left = binary("and", left, this.#negation());
        return left;
    }
    #negation() {
        let isNegated = false;
        while (this.#tokens.word("not"))
            isNegated = !isNegated;
        const of = this.#predicate();
        return isNegated ? { kind: "not", of } : of;
    }
    #predicate() {
        const of = this.#sum();
        const tokens = this.#tokens;
        for (const operator of COMPARISONS)
            if (tokens.sign(operator))
                return binary(operator, of, this.#sum());
        if (tokens.word("is")) {
            const isNot = tokens.word("not");
            if (!tokens.word("null"))
                tokens.expectWord("missing");
            return negatedIf(isNot, { kind: "isNull", of });
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
        if (tokens.word("in"))
            return negatedIf(isNot, { kind: "in", of, among: this.#list() });
        if (isNot)
            throw new SqlError("LIKE, BETWEEN or IN is expected");
        return of;
    }
    #text() {
        const token = this.#tokens.take();
        if (token.kind !== "text")
            throw new SqlError("a text is expected");
        return token.text;
    }
    #list() {
        this.#tokens.expectSign("(");
        const items = [];
        if (this.#tokens.sign(")"))
            return items;
        do
            items.push(this.#expression());
        while (this.#tokens.sign(","));
        this.#tokens.expectSign(")");
        return items;
    }
    #sum() {
        let left = this.#product();
        for (;;) {
            const operator = ["+", "-", "||"].find((sign) => this.#tokens.sign(sign));
            if (operator === undefined)
                return left;
            left = binary(operator, left, this.#product());
        }
    }
    #product() {
        let left = this.#factor();
        for (;;) {
            const operator = ["*", "/", "%"].find((sign) => this.#tokens.sign(sign));
            if (operator === undefined)
                return left;
            left = binary(operator, left, this.#factor());
        }
    }
    #factor() {
        let isNegated = false;
        while (this.#tokens.isSign("-") || this.#tokens.isSign("+")) {
            if (this.#tokens.sign("-"))
                isNegated = !isNegated;
            else
                this.#tokens.sign("+");
        }
        const of = this.#primary();
        return isNegated ? { kind: "negate", of } : of;
    }
    #primary() {
        const tokens = this.#tokens;
        if (tokens.sign("(")) {
            const inner = this.#expression();
            tokens.expectSign(")");
            return inner;
        }
        const token = tokens.take();
        if (token.kind === "text")
            return { kind: "literal", value: token.text };
        if (token.kind === "number")
            return { kind: "literal", value: token.value };
        if (token.kind === "sign")
            throw new SqlError(`unexpected '${token.text}'`);
        if (token.isQuoted)
            return this.#column(token.text);
        const word = token.text.toLowerCase();
        if (word === "null" || word === "missing")
            return { kind: "literal", value: null };
        if (word === "true" || word === "false")
            return { kind: "literal", value: word === "true" };
        if (word === "case")
            return this.#case();
        if (tokens.isSign("("))
            return this.#call(word);
        return this.#column(token.text);
    }
    #column(first) {
        const rest = this.#steps();
        const isRoot = first.toLowerCase() === "blobstorage" && rest.length > 0;
        return { kind: "column", path: isRoot ? rest : [first, ...rest] };
    }
    #case() {
        const branches = [];
        while (this.#tokens.word("when")) {
            const when = this.#expression();
            this.#tokens.expectWord("then");
            branches.push({ when, result: this.#expression() });
        }
        if (branches.length === 0)
            throw new SqlError("WHEN is expected");
        const otherwise = this.#tokens.word("else")
            ? this.#expression()
            : { kind: "literal", value: null };
        this.#tokens.expectWord("end");
        return { kind: "case", branches, otherwise };
    }
    #call(name) {
        const tokens = this.#tokens;
        if (AGGREGATES.has(name)) {
            tokens.expectSign("(");
            const of = tokens.sign("*") ? undefined : this.#expression();
            tokens.expectSign(")");
            if (of === undefined && name !== "count")
                throw new SqlError(`${name} takes an expression`);
            return { kind: "aggregate", name: name, of };
        }
        if (name === "cast") {
            tokens.expectSign("(");
            const of = this.#expression();
            tokens.expectWord("as");
            const type = TYPES[this.#name().toLowerCase()];
            if (type === undefined)
                throw new SqlError("there is no such type");
            tokens.expectSign(")");
            return { kind: "cast", of, type };
        }
        if (name === "trim")
            return this.#trim();
        if (name === "substring")
            return this.#substring();
        if (!isFunction(name))
            throw new SqlError(`there is no function ${name}`);
        return { kind: "call", name, args: this.#list() };
    }
    /** TRIM([LEADING | TRAILING | BOTH] [characters FROM] text) */
    #trim() {
        const tokens = this.#tokens;
        tokens.expectSign("(");
        const side = ["leading", "trailing", "both"].find((word) => tokens.word(word)) ?? "both";
        let of = tokens.isWord("from") ? undefined : this.#expression();
        let characters = { kind: "literal", value: " " };
        if (tokens.word("from")) {
            if (of !== undefined)
                characters = of;
            of = this.#expression();
        }
        tokens.expectSign(")");
        if (of === undefined)
            throw new SqlError("TRIM takes a text");
        return { kind: "call", name: `trim_${side}`, args: [of, characters] };
    }
    /** SUBSTRING(text, from [, length]) or SUBSTRING(text FROM from [FOR length]) */
    #substring() {
        const tokens = this.#tokens;
        tokens.expectSign("(");
        const args = [this.#expression()];
        if (tokens.sign(",") || tokens.word("from"))
            args.push(this.#expression());
        if (tokens.sign(",") || tokens.word("for"))
            args.push(this.#expression());
        tokens.expectSign(")");
        if (args.length < 2)
            throw new SqlError("SUBSTRING takes a position");
        return { kind: "call", name: "substring", args };
    }
}
function binary(operator, left, right) {
    return { kind: "binary", operator, left, right };
}
function negatedIf(isNot, of) {
    return isNot ? { kind: "not", of } : of;
}
/** Aggregates stand alone: nothing could say to which row the other columns belong. */
function checked(query) {
    const { columns = [] } = query;
    const aggregates = columns.filter(({ expression }) => expression.kind === "aggregate");
    if (aggregates.length > 0 && aggregates.length < columns.length) {
        throw new SqlError("aggregates and columns cannot be mixed");
    }
    return query;
}
