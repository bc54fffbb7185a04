import type { Revision } from "../../base/revision.ts";
import type { ContainerRecord } from "../../store/records/blob.ts";
import type { BlobService } from "./blob-service.ts";
import type { ContainerRef } from "./names.ts";
export interface CreateContainer {
    readonly ref: ContainerRef;
    readonly metadata: Readonly<Record<string, string>>;
    readonly publicAccess: ContainerRecord["publicAccess"];
    readonly encryptionScope: ContainerRecord["encryptionScope"];
}
/** A name that was deleted a moment ago can be used again at once: the new container has an id of its own. */
export declare function createContainer(blobs: BlobService, request: CreateContainer): Promise<Revision>;
