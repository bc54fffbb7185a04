import { type CsvForm } from "./csv.ts";
import { type SqlQuery } from "./sql.ts";
export type Form = ({
    readonly kind: "csv";
} & CsvForm) | {
    readonly kind: "json";
    readonly recordSeparator: string;
};
export type QueryEvent = {
    readonly kind: "data";
    readonly bytes: Buffer;
} | {
    readonly kind: "progress";
    readonly scanned: number;
} | {
    readonly kind: "error";
    readonly name: string;
    readonly description: string;
    readonly position: number;
} | {
    readonly kind: "end";
};
export interface QueryRun {
    readonly query: SqlQuery;
    readonly input: Form;
    readonly output: Form;
    readonly source: AsyncIterable<Buffer>;
}
/**
 * Runs a query over a blob as it streams by: one record in memory at a time, whatever the blob's size. An error in
 * the data ends the answer with what is wrong and where, since by then part of it may be out.
 */
export declare function runQuery({ query, input, output, source }: QueryRun): AsyncGenerator<QueryEvent>;
