/** The stored records that the front end prints. */
export type { BlobHttpHeaders, BlobKind, BlobRecord, ContainerRecord } from "../../store/records/blob.ts";
