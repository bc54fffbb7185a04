import "../../base/bytes.ts";
import type { Property } from "../../base/edm.ts";
import type { Revision } from "../../base/revision.ts";
export interface UnpackedEntity {
    readonly revision: Revision;
    readonly properties: Property[];
}
/** The bytes are good until the next call. */
export declare function packEntity(revision: Revision, properties: readonly Property[]): Buffer;
export declare function revisionOfEntity(bytes: Buffer): Revision;
export declare function unpackEntity(bytes: Buffer): UnpackedEntity;
/** One property, found without unpacking the others. `nameBytes` is the name in UTF-8. */
export declare function findProperty(bytes: Buffer, nameBytes: Buffer): Property | undefined;
