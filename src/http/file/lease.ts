import { leaseFile, leaseShare } from "../../services/file/lease.ts";
import { leaseReply, leaseRows, readLeaseAction } from "../common/lease.ts";
import { readPathRef } from "./read-request.ts";
import { type FileRow, type FileServices, onInode, onShare, row } from "./rows.ts";
import { readRef } from "./share.ts";

/** Lease File and Lease Share. */
export const LEASE_ROWS: readonly FileRow[] = [
  ...leaseRows<FileServices>("File", {
    row,
    actions: ["acquire", "change", "release", "break"],
    resource: "file",
    query: { comp: "lease" },
    permission: onInode(["w"]),
    handle: async (action, request, { files }) => {
      const lease = readLeaseAction(action, request.headers, files.parts.random, { isEndless: true });
      return leaseReply(action, await leaseFile(files, { ref: readPathRef(request), lease }));
    },
  }),
  ...leaseRows<FileServices>("Share", {
    row,
    resource: "share",
    query: { restype: "share", comp: "lease" },
    permission: onShare(["w"]),
    handle: async (action, request, { files }) => {
      const lease = readLeaseAction(action, request.headers, files.parts.random);
      return leaseReply(action, await leaseShare(files, { ref: readRef(request), lease }));
    },
  }),
];
