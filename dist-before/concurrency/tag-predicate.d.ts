/**
 * Conditions over a blob's tags: `"status" = 'done' AND (priority > '3' OR owner <> 'us')`.
 *
 *   predicate = conjunction { OR conjunction }
 *   conjunction = comparison { AND comparison }
 *   comparison = ( predicate ) | name operator 'value'
 *
 * Names are bare when they are plain identifiers and in double quotes otherwise; a quote inside quotes is
 * doubled. Values compare as strings. A comparison with a tag the blob does not have is false, whatever the
 * operator.
 */
export type Tags = Readonly<Record<string, string>>;
export type TagOperator = "=" | "<>" | ">" | ">=" | "<" | "<=";
export type TagPredicate = {
    readonly tag: string;
    readonly operator: TagOperator;
    readonly value: string;
} | {
    readonly all: readonly TagPredicate[];
} | {
    readonly any: readonly TagPredicate[];
};
export declare function holdsTags(predicate: TagPredicate, tags: Tags): boolean;
/** Undefined when the text is not a predicate. */
export declare function parseTagPredicate(text: string): TagPredicate | undefined;
export type TagToken = {
    readonly kind: "name";
    readonly text: string;
} | {
    readonly kind: "value";
    readonly text: string;
} | {
    readonly kind: "operator";
    readonly text: TagOperator;
} | {
    readonly kind: "and" | "or" | "(" | ")";
};
/** Also the words of Find Blobs by Tags, which has a grammar of its own over them. */
export declare function tagTokens(text: string): TagToken[] | undefined;
