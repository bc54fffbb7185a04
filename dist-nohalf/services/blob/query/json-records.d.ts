import { type PathStep, type Value } from "./sql.ts";
/**
 * JSON records out of text that arrives in pieces: one after another, on a line each or spread over several. Found
 * by their brackets, so a record is parsed once, when it is whole.
 */
export declare class JsonReader {
    #private;
    push(text: string): Generator<Value>;
    end(): void;
}
/** Everything a path leads to below a record: [*] stands for each element of a list. */
export declare function walkPath(record: Value, path: readonly PathStep[], at?: number): Generator<Value>;
export declare function stepInto(value: Value, step: PathStep): Value;
