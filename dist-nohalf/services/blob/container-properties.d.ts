import type { Instant } from "../../base/clock.ts";
import type { Revision } from "../../base/revision.ts";
import type { ContainerRecord, StoredPolicyRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import { type Guards } from "./containers.ts";
import type { ContainerRef } from "./names.ts";
export interface GuardedContainer extends Guards {
    readonly ref: ContainerRef;
}
/** Get Container Properties, Metadata and ACL: the record, and the time its lease is to be judged by. */
export declare function getContainer(blobs: BlobService, request: GuardedContainer): Promise<{
    readonly record: ContainerRecord;
    readonly now: Instant;
}>;
/** Replaces all of it. */
export declare function setContainerMetadata(blobs: BlobService, request: GuardedContainer & {
    readonly metadata: Readonly<Record<string, string>>;
}): Promise<Revision>;
/** Public access and stored policies. The next request of anyone is judged by them. */
export declare function setContainerAcl(blobs: BlobService, request: GuardedContainer & {
    readonly publicAccess: ContainerRecord["publicAccess"];
    readonly policies: readonly StoredPolicyRecord[];
}): Promise<Revision>;
