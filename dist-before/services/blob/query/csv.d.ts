/** How records and fields are told apart, in a blob or in an answer. */
export interface CsvForm {
    readonly columnSeparator: string;
    readonly recordSeparator: string;
    readonly quote: string;
    /** Empty: a quote inside quotes is doubled. */
    readonly escapeMark: string;
    readonly hasHeaders: boolean;
}
/** Records out of text that arrives in pieces. What is left of a piece waits for the next. */
export declare class CsvReader {
    #private;
    constructor(form: CsvForm);
    push(text: string): Generator<string[]>;
    end(): Generator<string[]>;
}
export declare function printCsv(fields: readonly (string | null)[], form: CsvForm): string;
