import { holdsTags, type TagOperator, type Tags, tagTokens } from "./tag-predicate.ts";

/**
 * The query of Find Blobs by Tags: comparisons joined by AND.
 *
 *   @container = 'logs' AND "status" = 'done' AND date >= '2026-01-01' AND date < '2026-02-01'
 *
 * The comparisons with one tag bound its values from below and above, so that one range of the index contains
 * all matches.
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

const COMPARISONS_MAX = 10;

/** Undefined when the text is not such a query. */
export function parseTagQuery(text: string): TagQuery | undefined {
  const tokens = tagTokens(text);
  if (tokens === undefined) return undefined;
  const comparisons: TagComparison[] = [];
  let container: string | undefined;
  for (let at = 0; ; at += 4) {
    const [name, operator, value, next] = tokens.slice(at, at + 4);
    if (name?.kind !== "name" || operator?.kind !== "operator" || value?.kind !== "value") return undefined;
    if (operator.text === "<>") return undefined;
    if (name.text.toLowerCase() === "@container") {
      if (operator.text !== "=" || container !== undefined) return undefined;
      container = value.text;
    } else if (name.text.startsWith("@")) return undefined;
    else comparisons.push({ tag: name.text, operator: operator.text, value: value.text });
    if (next === undefined) break;
    if (next.kind !== "and") return undefined;
  }
  const isSound = comparisons.length > 0 && comparisons.length <= COMPARISONS_MAX;
  return isSound ? { container, comparisons } : undefined;
}

export function matchesTagQuery({ comparisons }: TagQuery, tags: Tags): boolean {
  return comparisons.every((comparison) => holdsTags(comparison, tags));
}

/** The tag whose index entries are scanned: one compared with "=", if there is one. */
export function drivingTag({ comparisons }: TagQuery): string {
  return (comparisons.find(({ operator }) => operator === "=") ?? comparisons[0]!).tag;
}
