import { type SqlQuery } from "./sql.ts";
/** Throws `SqlError` when the text is not a query. */
export declare function parseSql(text: string): SqlQuery;
