import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import { type ContainerRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
export interface ListContainers {
    readonly account: string;
    readonly prefix: string;
    readonly maxResults: number;
    readonly includesDeleted: boolean;
    readonly includesSystem: boolean;
    /** Go on after this one. */
    readonly after: ContainerPosition | undefined;
}
export interface ContainerPosition {
    readonly container: string;
    /** Of a soft-deleted one. */
    readonly deletion?: Revision;
}
export interface ListedContainer extends ContainerPosition {
    readonly record: ContainerRecord;
}
export interface ContainerPage {
    readonly containers: readonly ListedContainer[];
    readonly next: ContainerPosition | undefined;
    readonly now: Instant;
}
/** By name; deleted ones of a name after the one that lives. One read of the range that is shown. */
export declare function listContainers(blobs: BlobService, request: ListContainers): Promise<ContainerPage>;
