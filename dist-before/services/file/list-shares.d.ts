import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import { type ShareRecord } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import type { ShareFacts } from "./share-properties.ts";
export interface ListShares {
    readonly account: string;
    readonly prefix: string;
    readonly maxResults: number;
    readonly includesDeleted: boolean;
    readonly includesSnapshots: boolean;
    readonly from?: SharePosition | undefined;
}
/** Where a page begins: a share's name, and within it how many of its lines came before. */
export interface SharePosition {
    readonly name: string;
    readonly skip: number;
}
export interface ListedShare {
    readonly name: string;
    readonly facts: ShareFacts & Pick<ShareRecord, "deleted">;
    readonly snapshot?: bigint;
    readonly deletion?: Revision;
}
export interface SharesPage {
    readonly shares: readonly ListedShare[];
    readonly next: SharePosition | undefined;
    readonly now: Instant;
}
/** By name; of one name first the deleted shares, then the snapshots, then the share. */
export declare function listShares(files: FileService, request: ListShares): Promise<SharesPage>;
