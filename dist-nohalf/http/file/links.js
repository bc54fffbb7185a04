import { Refusal } from "../../base/refusals.js";
import { onNode, row } from "./rows.js";
/** Symbolic and hard links are there on NFS shares, and shares here are served over REST and SMB. */
async function refuseLink() {
    throw new Refusal("UnsupportedQueryParameter", {
        elements: { QueryParameterName: "restype" },
        text: "Links exist on NFS shares only.",
    });
}
const resource = "file";
export const LINK_ROWS = [
    row({
        name: "CreateSymbolicLink",
        method: "PUT",
        resource,
        query: { restype: "symboliclink" },
        permission: onNode(["c", "w"]),
        ok: [201],
        handle: refuseLink,
    }),
    row({
        name: "GetSymbolicLink",
        method: "GET",
        resource,
        query: { restype: "symboliclink" },
        permission: onNode(["r"]),
        handle: refuseLink,
    }),
    row({
        name: "CreateHardLink",
        method: "PUT",
        resource,
        query: { restype: "hardlink" },
        permission: onNode(["c", "w"]),
        ok: [201],
        handle: refuseLink,
    }),
];
