import { Refusal } from "../../../base/refusals.ts";
/**
 * Reads a JSON object whose values are plain: what entities are made of. JSON.parse would do it, but it takes the
 * last of two members with one name in silence, and does not tell 1 from 1.0 or 2^53 from 2^53 + 1, which are
 * different values here. A number therefore keeps its text.
 */
export type JsonValue = {
    readonly kind: "string";
    readonly text: string;
} | {
    readonly kind: "number";
    readonly text: string;
} | {
    readonly kind: "boolean";
    readonly value: boolean;
} | {
    readonly kind: "null";
};
export declare function malformedJson(): Refusal;
export declare function readFlatObject(body: Buffer): Map<string, JsonValue>;
