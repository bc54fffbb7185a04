/** The text of a query is wrong, or asks for what there is not. */
export class SqlError extends Error {
    name = "SqlError";
}
export const SQL_LIMITS = {
    expressionBytesMax: 256 * 1_024,
    /** A row of operators becomes a tree as deep as it is long, and is walked from its root. */
    tokensMax: 4_000,
    depthMax: 64,
    recordCharsMax: 1_024 * 1_024,
    columnsMax: 4_096,
    /** A pattern of LIKE is matched character by character, so its cost is bounded by both lengths. */
    patternCharsMax: 4_096,
};
