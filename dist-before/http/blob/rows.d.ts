import type { BlobService } from "../../services/blob/blob-service.ts";
import type { AuthContext } from "../auth/context.ts";
import type { CommonServices } from "../common/service-operations.ts";
import type { Operation, Permission } from "../operation.ts";
/** What the handlers of the Blob service are given. */
export interface BlobServices extends CommonServices {
    readonly blobs: BlobService;
    /** For user delegation keys, and for the right to read what is copied from. */
    readonly auth: AuthContext;
}
export type BlobRow = Operation<BlobServices>;
/** A row with what most rows have: no body, no conditions, no lease, 200. */
export declare function row(given: Pick<BlobRow, "name" | "method" | "resource" | "permission" | "handle"> & Partial<BlobRow>): BlobRow;
/** A read that answers GET with and HEAD without its body. */
export declare function getAndHead(given: Omit<Parameters<typeof row>[0], "method">): BlobRow[];
/** Only the account's owner (or a token): no SAS of either kind may do it. */
export declare const OWNER_ONLY: {
    readonly account: readonly [];
    readonly service: readonly [];
};
export declare const onContainer: (account: readonly string[], service?: readonly string[]) => Permission;
export declare const onBlob: (letters: readonly string[]) => Permission;
