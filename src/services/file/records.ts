/** The shapes of what is stored, for the front ends to print. */
export type {
  CopyRecord,
  FileHeaders,
  HandleRecord,
  InodeRecord,
  LeaseRecord,
  ShareRecord,
  ShareSettings,
} from "../../store/records/file.ts";
