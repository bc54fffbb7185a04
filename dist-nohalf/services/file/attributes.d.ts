import type { NodeRecord } from "../../store/records/file.ts";
/** File attributes, with the values Windows gives them: the same field for REST headers and for SMB. */
export declare const ATTRIBUTE: {
    readonly ReadOnly: 1;
    readonly Hidden: 2;
    readonly System: 4;
    readonly Directory: 16;
    readonly Archive: 32;
    readonly Temporary: 256;
    readonly Offline: 4096;
    readonly NotContentIndexed: 8192;
    readonly NoScrubData: 131072;
};
export type AttributeName = keyof typeof ATTRIBUTE;
export declare function isReadOnly({ attributes }: Pick<NodeRecord, "attributes">): boolean;
/** A file without any attribute is told as an archived one; a directory is always one. */
export declare function settledAttributes(kind: NodeRecord["kind"], attributes: number): number;
