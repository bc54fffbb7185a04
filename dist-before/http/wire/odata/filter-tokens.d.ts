import type { EdmValue } from "../../../base/edm.ts";
import { Refusal } from "../../../base/refusals.ts";
/** The words of a `$filter`. `end` is where a word ends in the text, which is what errors name. */
export type FilterToken = {
    readonly kind: "open" | "close" | "end";
    readonly end: number;
} | {
    readonly kind: "word";
    readonly word: string;
    readonly end: number;
} | {
    readonly kind: "literal";
    readonly literal: EdmValue;
    readonly end: number;
};
export declare function filterSyntaxError(text: string, position: number): Refusal;
export declare class FilterTokens {
    #private;
    readonly text: string;
    constructor(text: string);
    next(): FilterToken;
    /** Whether the word just read is followed by a parenthesis: a function. */
    isCall(): boolean;
    fail(position?: number): Refusal;
}
