/** The shapes of what is stored, for those above who print them. */
export type { BlobContent, BlobHttpHeaders, BlobKind, BlobRecord, BlockEntry, ContainerRecord, CopyRecord, } from "../../store/records/blob.ts";
