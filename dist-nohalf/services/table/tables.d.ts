import type { KeySpace, Reader } from "../../store/kv.ts";
import { type TableRecord } from "../../store/records/table.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { Filter } from "./filter/filter.ts";
/** A table by its name, in any spelling. */
export interface TableRef {
    readonly account: string;
    readonly table: string;
}
/** The record of a table; the refusal that fits when there is none. */
export declare function readTable(read: Reader, { account, table }: TableRef, missing?: "TableNotFound" | "ResourceNotFound"): Promise<TableRecord>;
export declare function createTable(store: KeySpace, { account, table }: TableRef): Promise<void>;
/** One write, however much the table holds: its entities are reclaimed in the background. */
export declare function deleteTable(store: KeySpace, ref: TableRef): Promise<void>;
/** The name as it was spelled when the table was created. */
export declare function getTable(store: KeySpace, ref: TableRef): Promise<string>;
export interface QueryTables {
    readonly account: string;
    readonly filter?: Filter | undefined;
    readonly top?: number | undefined;
    /** Where the page before ended: the name of the next table. */
    readonly from?: string | undefined;
}
export interface TablePage {
    readonly names: readonly string[];
    readonly next?: string;
}
/** In the order of the names in lower case, which is how a filter compares them too. */
export declare function queryTables(store: KeySpace, query: QueryTables): Promise<TablePage>;
export declare function getTableAcl(store: KeySpace, ref: TableRef): Promise<readonly StoredPolicy[]>;
/** Replaces the whole list. */
export declare function setTableAcl(store: KeySpace, ref: TableRef, policies: readonly StoredPolicy[]): Promise<void>;
