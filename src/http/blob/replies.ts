import { type Revision, timestampOf } from "../../base/revision.ts";

/** Headers many replies share. */
export { leaseHeaders, stamp, XML } from "../common/replies.ts";

export function versionHeader(version: Revision | undefined): Record<string, string> {
  return version === undefined ? {} : { "x-ms-version-id": timestampOf(version) };
}
