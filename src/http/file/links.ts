import { Refusal } from "../../base/refusals.ts";
import type { HttpReply } from "../exchange.ts";
import { type FileRow, onInode, row } from "./rows.ts";

/** Symbolic and hard links are there on NFS shares, and shares here are served over REST and SMB. */
async function refuseLink(): Promise<HttpReply> {
  throw new Refusal("UnsupportedQueryParameter", {
    elements: { QueryParameterName: "restype" },
    text: "Links exist on NFS shares only.",
  });
}

const resource = "file" as const;

export const LINK_ROWS: readonly FileRow[] = [
  row({
    name: "CreateSymbolicLink",
    method: "PUT",
    resource,
    query: { restype: "symboliclink" },
    permission: onInode(["c", "w"]),
    ok: [201],
    handle: refuseLink,
  }),
  row({
    name: "GetSymbolicLink",
    method: "GET",
    resource,
    query: { restype: "symboliclink" },
    permission: onInode(["r"]),
    handle: refuseLink,
  }),
  row({
    name: "CreateHardLink",
    method: "PUT",
    resource,
    query: { restype: "hardlink" },
    permission: onInode(["c", "w"]),
    ok: [201],
    handle: refuseLink,
  }),
];
