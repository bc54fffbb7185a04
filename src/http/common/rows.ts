import { LIMITS } from "../../base/limits.ts";
import type { Operation, Permission, ResourceKind } from "../operation.ts";

type Method = Operation<never>["method"];

/**
 * The resource that the path names, then the query parameters and headers that select the operation; `*` is
 * any value that is not empty: "blob?comp=block, x-ms-copy-source: *".
 */
export type Selection = ResourceKind | `${ResourceKind}?${string}` | `${ResourceKind}, ${string}`;

type Selectors = "method" | "resource" | "query" | "header";

/** The fields of a row that have defaults. */
export type RowOptions<Services> = Partial<
  Omit<Operation<Services>, "name" | Selectors | "permission" | "handle">
>;

/** A row of an operation table. By default it has no body, no conditions and no lease, and answers 200. */
export function row<Services>(
  name: string,
  request: `${Method} ${Selection}`,
  permission: Permission,
  handle: Operation<Services>["handle"],
  options: RowOptions<Services> = {},
): Operation<Services> {
  return {
    name,
    ...parseRequest(request),
    permission,
    returnsEtag: false,
    conditions: [],
    lease: "none",
    body: "none",
    bodyBytesMax: 0,
    ok: [200],
    ...options,
    handle,
  };
}

function parseRequest(request: string): Pick<Operation<never>, Selectors> {
  const [line, ...headers] = request.split(", ");
  const [method, address] = line!.split(" ") as [Method, string];
  const [resource, query] = address.split("?") as [ResourceKind, string?];
  return {
    method,
    resource,
    ...(query === undefined ? {} : { query: parsePairs(query.split("&"), "=") }),
    ...(headers.length === 0 ? {} : { header: parsePairs(headers, ": ") }),
  };
}

function parsePairs(pairs: readonly string[], separator: string): Record<string, string | true> {
  const entries = pairs.map((pair) => pair.split(separator) as [string, string]);
  return Object.fromEntries(entries.map(([name, value]) => [name, value === "*" || value]));
}

/** A read that answers GET with and HEAD without its body. */
export function getAndHead<Services>(
  name: string,
  selection: Selection,
  permission: Permission,
  handle: Operation<Services>["handle"],
  { headName = `${name}Head`, ...options }: RowOptions<Services> & { readonly headName?: string } = {},
): Operation<Services>[] {
  return [
    row(name, `GET ${selection}`, permission, handle, options),
    row(headName, `HEAD ${selection}`, permission, handle, options),
  ];
}

/** The letters of an account SAS for the root of a service, which no service SAS reaches. */
export function onService(...account: readonly string[]): Permission {
  return { type: "s", account, service: [] };
}

/** The letters of an account SAS for a container, queue, table or share. */
export function onContainer(...account: readonly string[]): Permission {
  return { type: "c", account, service: [] };
}

/** The letters for a container, queue, table or share, the same for both kinds of SAS. */
export function onContainerBySas(...letters: readonly string[]): Permission {
  return { type: "c", account: letters, service: letters };
}

/** The letters for a blob, message, entity or file, the same for both kinds of SAS. */
export function onObject(...letters: readonly string[]): Permission {
  return { type: "o", account: letters, service: letters };
}

/** No SAS reads or changes the policies that SAS depend on; bearer tokens do since this version. */
export const ACL_BY_TOKEN: Permission = { ...onContainer(), bearerSince: "2025-07-05" };

type RequestBody = Pick<Operation<never>, "body" | "bodyBytesMax">;

export function xml(bodyBytesMax: number): RequestBody {
  return { body: "xml", bodyBytesMax };
}

export function json(bodyBytesMax: number): RequestBody {
  return { body: "json", bodyBytesMax };
}

export function stream(bodyBytesMax: number): RequestBody {
  return { body: "stream", bodyBytesMax };
}

export const MULTIPART: RequestBody = { body: "multipart", bodyBytesMax: LIMITS.multipartBytesMax };

export const LISTING = { replyBytesMax: LIMITS.listPageBytesMax } as const;
export const CREATED = { ok: [201] } as const;
export const ACCEPTED = { ok: [202] } as const;
export const NO_CONTENT = { ok: [204] } as const;
