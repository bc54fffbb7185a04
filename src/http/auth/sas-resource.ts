import { Refusal } from "../../base/refusals.ts";
import type { ServiceName } from "../exchange.ts";
import type { ServiceSasCaller } from "./caller.ts";
import type { Unauthenticated } from "./context.ts";
import { sasFieldInvalid } from "./refuse.ts";
import { sasField } from "./sas-fields.ts";

/**
 * The resource of a service SAS or user delegation SAS. Its path is that of the request, at the depth its
 * `sr` gives; if the SAS was made for another path, the signature does not match.
 */
export interface SasResource {
  readonly resource: ServiceSasCaller["resource"];
  /** One path, or two: a short address may mean the root container, and a directory may end with a slash. */
  readonly paths: readonly string[];
  readonly snapshot: string | undefined;
}

const ROOT = "$root";
const SNAPSHOTS_SINCE = "2018-11-09";
const DIRECTORIES_SINCE = "2020-02-10";

export function sasResource(request: Unauthenticated, version: string): SasResource {
  const { target, query } = request;
  const path = target.path.endsWith("/") ? target.path.slice(0, -1) : target.path;
  if (path.indexOf("\n") !== -1) throw sasFieldInvalid("sr");
  switch (target.service) {
    case "queue":
      return { resource: "q", paths: [firstOf(path)], snapshot: undefined };
    case "table": {
      const table = sasField(query, "tn").toLowerCase();
      if (table === "") throw sasFieldInvalid("tn");
      return { resource: "t", paths: [table], snapshot: undefined };
    }
    case "file":
      return fileResource(path, sasField(query, "sr"));
    case "blob":
      return blobResource(request, path, target.path, version);
  }
}

function fileResource(path: string, resource: string): SasResource {
  if (resource === "s") return { resource, paths: [firstOf(path)], snapshot: undefined };
  if (resource === "f" && path.includes("/")) return { resource, paths: [path], snapshot: undefined };
  throw sasFieldInvalid("sr");
}

function blobResource(
  { query }: Unauthenticated,
  path: string,
  asSent: string,
  version: string,
): SasResource {
  const resource = sasField(query, "sr");
  const isShort = !path.includes("/");
  // "folder/" is another blob than "folder": a SAS for one does not grant the other.
  const full = isShort ? `${ROOT}/${path}` : asSent;
  switch (resource) {
    case "c":
      return { resource, paths: isShort ? [path, ROOT] : [firstOf(path)], snapshot: undefined };
    case "b":
      return { resource, paths: [full], snapshot: undefined };
    case "bs":
    case "bv": {
      const snapshot = sasField(query, resource === "bs" ? "snapshot" : "versionid");
      if (version < SNAPSHOTS_SINCE || snapshot === "") break;
      return { resource, paths: [full], snapshot };
    }
    case "d":
      if (version < DIRECTORIES_SINCE) break;
      return { resource, paths: directoriesOf(path, sasField(query, "sdd")), snapshot: undefined };
  }
  throw sasFieldInvalid("sr");
}

/**
 * The container and as many directories below it as `sdd` counts; 0 is the root of the container. Newer SDKs
 * let a directory be named with a slash at its end, count without it, and sign it.
 */
function directoriesOf(path: string, depth: string): string[] {
  const segments = path.split("/");
  if (!/^(?:0|[1-9]\d{0,2})$/.test(depth) || Number(depth) > segments.length - 1) {
    throw new Refusal("QueryParameterSddInvalid");
  }
  const directory = segments.slice(0, Number(depth) + 1).join("/");
  return [directory, `${directory}/`];
}

/** The path that a SAS covers, by the path it was signed for. */
export function coveredPath(resource: SasResource["resource"], signed: string): string {
  return resource === "d" && signed.endsWith("/") ? signed.slice(0, -1) : signed;
}

function firstOf(path: string): string {
  const slash = path.indexOf("/");
  return slash === -1 ? path : path.slice(0, slash);
}

const PREFIX_SINCE = "2015-02-21";

export function canonicalResource(
  service: ServiceName,
  account: string,
  path: string,
  version: string,
): string {
  return version >= PREFIX_SINCE ? `/${service}/${account}/${path}` : `/${account}/${path}`;
}
