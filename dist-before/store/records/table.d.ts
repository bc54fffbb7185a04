/** A table by name. `id` is its incarnation: a new table of the same name gets another one, and starts empty. */
export interface TableRecord {
    /** As it was spelled when it was created. */
    readonly name: string;
    readonly id: bigint;
}
export declare const tableRecord: import("./record.ts").RecordType<TableRecord>;
export interface TablePolicy {
    readonly id: string;
    readonly start: number | undefined;
    readonly expiry: number | undefined;
    readonly permissions: string | undefined;
}
export declare const tableAclRecord: import("./record.ts").RecordType<{
    readonly policies: readonly TablePolicy[];
}>;
