import type { BlobService } from "./blob-service.ts";
import type { GuardedContainer } from "./container-properties.ts";
/**
 * One write, whatever the container holds: the name goes, and its contents with it, since they are found through
 * its id. The reclaimer takes them apart later. While soft delete is on, container and contents wait instead.
 */
export declare function deleteContainer(blobs: BlobService, request: GuardedContainer): Promise<void>;
