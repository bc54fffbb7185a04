/** Record types that the front ends print. */
export type {
  CopyRecord,
  FileHeaders,
  InodeRecord,
  ShareRecord,
  ShareSettings,
} from "../../store/records/file.ts";
