import { StringDecoder } from "node:string_decoder";
import { CsvReader, printCsv } from "./csv.js";
import { Accumulator, evaluate, truth } from "./evaluate.js";
import { JsonReader, stepInto, walkPath } from "./json-records.js";
import { SqlError } from "./sql.js";
import { textOf } from "./sql-functions.js";
/** Output that waits until it is worth a record of the reply. */
const FLUSH_CHARS = 64 * 1_024;
const PROGRESS_BYTES = 4 * 1_024 * 1_024;
/**
 * Runs a query over a blob as it streams by: one record in memory at a time, whatever the blob's size. An error in
 * the data ends the answer with what is wrong and where, since by then part of it may be out.
 */
export async function* runQuery({ query, input, output, source }) {
    const results = new Results(query, output);
    const reader = input.kind === "csv" ? new CsvRows(input, query) : new JsonRows(query);
    const decoder = new StringDecoder("utf8");
    let scanned = 0;
    let told = 0;
    try {
        for await (const piece of source) {
            scanned += piece.length;
            for (const row of reader.push(decoder.write(piece))) {
                results.add(row);
                if (results.isFull)
                    break;
                if (results.waiting >= FLUSH_CHARS)
                    yield { kind: "data", bytes: results.take() };
            }
            if (results.isFull)
                break;
            if (scanned - told >= PROGRESS_BYTES) {
                told = scanned;
                yield { kind: "progress", scanned };
            }
        }
        if (!results.isFull) {
            for (const row of reader.push(decoder.end()))
                results.add(row);
            for (const row of reader.end())
                results.add(row);
        }
        results.finish();
    }
    catch (error) {
        if (!(error instanceof SqlError))
            throw error;
        if (results.waiting > 0)
            yield { kind: "data", bytes: results.take() };
        yield { kind: "error", name: "InvalidInput", description: error.message, position: scanned };
        yield { kind: "end" };
        return;
    }
    if (results.waiting > 0)
        yield { kind: "data", bytes: results.take() };
    yield { kind: "progress", scanned };
    yield { kind: "end" };
}
class CsvRows {
    #reader;
    #alias;
    #names;
    #needsNames;
    constructor(form, { alias, from }) {
        if (from.some((step) => step !== "[*]"))
            throw new SqlError("delimited text has no paths");
        this.#reader = new CsvReader(form);
        this.#needsNames = form.hasHeaders;
        this.#alias = alias;
    }
    *push(text) {
        for (const fields of this.#reader.push(text))
            yield* this.#row(fields);
    }
    *end() {
        for (const fields of this.#reader.end())
            yield* this.#row(fields);
    }
    *#row(fields) {
        if (this.#needsNames) {
            this.#names = fields;
            this.#needsNames = false;
            return;
        }
        const names = this.#names ?? fields.map((_, i) => `_${i + 1}`);
        yield {
            names,
            values: fields,
            get json() {
                return Object.fromEntries(fields.map((field, i) => [names[i] ?? `_${i + 1}`, field]));
            },
            column: (path) => this.#field(fields, withoutAlias(path, this.#alias)),
        };
    }
    #field(fields, path) {
        const [name] = path;
        if (path.length === 1 && typeof name === "string") {
            const place = /^_([1-9]\d{0,4})$/.exec(name);
            if (place !== null)
                return fields[Number(place[1]) - 1] ?? null;
            const exact = this.#names?.indexOf(name) ?? -1;
            if (exact >= 0)
                return fields[exact] ?? null;
            const lower = name.toLowerCase();
            const similar = this.#names?.findIndex((known) => known.toLowerCase() === lower) ?? -1;
            if (similar >= 0)
                return fields[similar] ?? null;
        }
        throw new SqlError(`there is no column ${path.join(".")}`);
    }
}
class JsonRows {
    #reader = new JsonReader();
    #query;
    constructor(query) {
        this.#query = query;
    }
    *push(text) {
        for (const record of this.#reader.push(text))
            yield* this.#rows(record);
    }
    end() {
        this.#reader.end();
        return [];
    }
    *#rows(record) {
        const { from, alias } = this.#query;
        for (const json of walkPath(record, from)) {
            const isObject = json !== null && typeof json === "object" && !Array.isArray(json);
            yield {
                names: isObject ? Object.keys(json) : ["_1"],
                values: isObject ? Object.values(json) : [json],
                json,
                column: (path) => withoutAlias(path, alias).reduce(stepInto, json),
            };
        }
    }
}
function withoutAlias(path, alias) {
    const isAliased = alias !== undefined && path.length > 1 && path[0] === alias;
    return isAliased ? path.slice(1) : path;
}
/** What the query makes of the rows, printed. */
class Results {
    #query;
    #form;
    #totals;
    #text = "";
    #count = 0;
    constructor(query, form) {
        this.#query = query;
        this.#form = form;
        const expressions = (query.columns ?? []).map(({ expression }) => expression);
        const totals = expressions.flatMap((one) => one.kind === "aggregate" ? [new Accumulator(one.name, one.of)] : []);
        this.#totals = totals.length === 0 ? undefined : totals;
    }
    get waiting() {
        return this.#text.length;
    }
    get isFull() {
        return this.#totals === undefined && this.#query.limit !== undefined && this.#count >= this.#query.limit;
    }
    add(row) {
        const { where, columns } = this.#query;
        if (this.isFull)
            return;
        if (where !== undefined && truth(evaluate(where, row)) !== true)
            return;
        if (this.#totals !== undefined)
            for (const total of this.#totals)
                total.add(row);
        else if (columns === undefined)
            this.#print(row.names, row.values, row.json);
        else
            this.#print(columns.map(nameOf), columns.map(({ expression }) => evaluate(expression, row)));
    }
    finish() {
        const { columns = [], limit } = this.#query;
        if (this.#totals === undefined || limit === 0)
            return;
        this.#print(columns.map(nameOf), this.#totals.map((total) => total.result()));
    }
    #print(names, values, whole) {
        const form = this.#form;
        if (form.kind === "csv") {
            if (form.hasHeaders && this.#count === 0)
                this.#text += printCsv(names, form);
            this.#text += printCsv(values.map(textOf), form);
        }
        else {
            const json = whole ?? Object.fromEntries(values.map((value, i) => [names[i] ?? `_${i + 1}`, value]));
            this.#text += JSON.stringify(json) + form.recordSeparator;
        }
        this.#count++;
    }
    take() {
        const bytes = Buffer.from(this.#text);
        this.#text = "";
        return bytes;
    }
}
function nameOf({ name, expression }, index) {
    if (name !== undefined)
        return name;
    const last = expression.kind === "column" ? expression.path.at(-1) : undefined;
    return typeof last === "string" ? last : `_${index + 1}`;
}
