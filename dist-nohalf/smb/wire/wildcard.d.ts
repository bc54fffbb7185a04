/**
 * Patterns of QUERY_DIRECTORY: `*` and `?`, and the three forms into which Windows turns those of DOS: `<` is
 * anything up to the last dot, `>` one character or nothing at the end or before a dot, `"` a dot or nothing at the
 * end. Names compare without regard to case.
 *
 * The matcher keeps the set of pattern positions it could be at (as an automaton would), so a pattern of many stars
 * costs pattern times name and never more.
 */
export declare function matcherOf(pattern: string): (name: string) => boolean;
