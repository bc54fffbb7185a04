import { type TagOperator, type Tags } from "./tag-predicate.ts";
/**
 * What Find Blobs by Tags asks: comparisons joined by AND, and nothing else.
 *
 *   @container = 'logs' AND "status" = 'done' AND date >= '2026-01-01' AND date < '2026-02-01'
 *
 * The comparisons with one tag bound its values from below and above, so that one stretch of the index holds all
 * that can match.
 */
export interface TagQuery {
    readonly container: string | undefined;
    /** At least one. */
    readonly comparisons: readonly TagComparison[];
}
export interface TagComparison {
    readonly tag: string;
    readonly operator: Exclude<TagOperator, "<>">;
    readonly value: string;
}
/** Undefined when the text is not such a query. */
export declare function parseTagQuery(text: string): TagQuery | undefined;
export declare function matchesTagQuery({ comparisons }: TagQuery, tags: Tags): boolean;
/** The tag whose entries are walked: one that must be equal to something, if there is one. */
export declare function drivingTag({ comparisons }: TagQuery): string;
