import { Refusal } from "../../base/refusals.js";
import { sasFieldInvalid } from "./refuse.js";
import { sasField } from "./sas-fields.js";
const ROOT = "$root";
const SNAPSHOTS_SINCE = "2018-11-09";
const DIRECTORIES_SINCE = "2020-02-10";
export function sasResource(request, version) {
    const { target, query } = request;
    const path = target.path.endsWith("/") ? target.path.slice(0, -1) : target.path;
    if (path.indexOf("\n") !== -1)
        throw sasFieldInvalid("sr");
    switch (target.service) {
        case "queue":
            return { resource: "q", paths: [firstOf(path)], snapshot: undefined };
        case "table": {
            const table = sasField(query, "tn").toLowerCase();
            if (table === "")
                throw sasFieldInvalid("tn");
            return { resource: "t", paths: [table], snapshot: undefined };
        }
        case "file":
            return fileResource(path, sasField(query, "sr"));
        case "blob":
            return blobResource(request, path, version);
    }
}
function fileResource(path, resource) {
    if (resource === "s")
        return { resource, paths: [firstOf(path)], snapshot: undefined };
    if (resource === "f" && path.includes("/"))
        return { resource, paths: [path], snapshot: undefined };
    throw sasFieldInvalid("sr");
}
function blobResource({ query }, path, version) {
    const resource = sasField(query, "sr");
    const isShort = !path.includes("/");
    const full = isShort ? `${ROOT}/${path}` : path;
    switch (resource) {
        case "c":
            return { resource, paths: isShort ? [path, ROOT] : [firstOf(path)], snapshot: undefined };
        case "b":
            return { resource, paths: [full], snapshot: undefined };
        case "bs":
        case "bv": {
            const snapshot = sasField(query, resource === "bs" ? "snapshot" : "versionid");
            if (version < SNAPSHOTS_SINCE || snapshot === "")
                break;
            return { resource, paths: [full], snapshot };
        }
        case "d":
            if (version < DIRECTORIES_SINCE)
                break;
            return { resource, paths: [directoryOf(path, sasField(query, "sdd"))], snapshot: undefined };
    }
    throw sasFieldInvalid("sr");
}
/** The container and as many directories below it as `sdd` counts; 0 is the root of the container. */
function directoryOf(path, depth) {
    const segments = path.split("/");
    if (!/^(?:0|[1-9]\d{0,2})$/.test(depth) || Number(depth) > segments.length - 1) {
        throw new Refusal("QueryParameterSddInvalid");
    }
    return segments.slice(0, Number(depth) + 1).join("/");
}
function firstOf(path) {
    const slash = path.indexOf("/");
    return slash === -1 ? path : path.slice(0, slash);
}
const PREFIX_SINCE = "2015-02-21";
export function canonicalResource(service, account, path, version) {
    return version >= PREFIX_SINCE ? `/${service}/${account}/${path}` : `/${account}/${path}`;
}
