import type { EntityKeys } from "../../../base/edm.ts";
import type { ResourceKind } from "../../operation.ts";
/**
 * Addresses below the account, decoded:
 *
 *   Tables    Tables('name')    $batch    name    name()    name(PartitionKey='p',RowKey='r')
 *
 * A quote within a key is doubled.
 */
export interface EntityAddress {
    readonly table: string;
    /** Undefined for the table itself. */
    readonly keys: EntityKeys | undefined;
}
export declare function resourceKindOf(path: string): ResourceKind;
export declare function tableOfPath(path: string): string;
/** `Tables('name')` */
export declare function parseTableItem(path: string): string;
export declare function parseEntityAddress(path: string): EntityAddress;
/** As links and Location headers carry it: `name(PartitionKey='p',RowKey='r')`, encoded. */
export declare function printEntityAddress(table: string, { partitionKey, rowKey }: EntityKeys): string;
