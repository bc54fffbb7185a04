import { badQuery, Refusal } from "../base/refusals.ts";
import type { Headers, HttpRequest, Query, Target } from "./exchange.ts";
import type { Operation, OperationTable, ResourceKind } from "./operation.ts";

/** What routing looks at. */
export interface Routable extends Pick<HttpRequest, "method" | "query" | "headers"> {
  readonly target: Pick<Target, "path" | "isWebsite">;
}

/**
 * Finds the row of an operation table that a request means. `restype` and `comp` must be those of the row (or
 * absent, where the row names none); among rows that share them, the one that asks for more wins.
 */
export class Router<Services> {
  readonly #table: OperationTable<Services>;
  /** A browser asks OPTIONS of any address, also of one that names nothing. */
  readonly #preflight: Operation<Services> | undefined;
  readonly #rows = new Map<string, Operation<Services>[]>();
  readonly #methods = new Map<ResourceKind, Set<string>>();

  constructor(table: OperationTable<Services>) {
    this.#table = table;
    this.#preflight = table.operations.find(({ method }) => method === "OPTIONS");
    for (const operation of table.operations) {
      const { method, resource, query } = operation;
      const place = placeOf(method, resource, query?.restype, query?.comp);
      const rows = this.#rows.get(place) ?? [];
      rows.push(operation);
      rows.sort((a, b) => weightOf(b) - weightOf(a));
      this.#rows.set(place, rows);
      const methods = this.#methods.get(resource) ?? new Set();
      this.#methods.set(resource, methods.add(method));
    }
  }

  find({ method, target, query, headers }: Routable): Operation<Services> {
    if (method === "OPTIONS" && this.#preflight !== undefined) return this.#preflight;
    if (target.isWebsite === true) return this.#findOnWebsite(method);
    const resource = this.#table.resourceOf(target.path, query, headers);
    const restype = query.get("restype")?.toLowerCase();
    const comp = query.get("comp")?.toLowerCase();
    const rows = this.#rows.get(placeOf(method, resource, restype, comp));
    const found = rows?.find((row) => isMeant(row, query, headers));
    if (found !== undefined) return found;
    const { unknownMethod } = this.#table;
    // Every request to an account says what it means in the query.
    if (resource === "service" && (method === "HEAD" || method === "DELETE") && unknownMethod === undefined)
      throw badQuery("comp", comp ?? "", "There is no such operation on this resource.");
    // A POST means something only with the `comp` of an operation, or what stands for it.
    const isPlainPost = method === "POST" && rows === undefined && comp === undefined;
    if (isPlainPost || !this.#methods.get(resource)?.has(method)) {
      throw new Refusal(unknownMethod ?? "UnsupportedHttpVerb");
    }
    if (comp !== undefined && rows === undefined) {
      throw badQuery("comp", comp, "There is no such operation on this resource.");
    }
    // An operation on a container whose name was left out, say: its restype is what does not fit the account.
    if (restype !== undefined && rows === undefined && resource === "service") {
      throw badQuery("restype", restype, "There is no such operation on this resource.");
    }
    throw new Refusal(this.#table.unknownOperation);
  }

  /** On a website only the path has a meaning. */
  #findOnWebsite(method: string): Operation<Services> {
    const [row] = this.#rows.get(placeOf(method, "website", undefined, undefined)) ?? [];
    if (row === undefined) throw new Refusal("UnsupportedHttpVerb");
    return row;
  }
}

function placeOf(
  method: string,
  resource: ResourceKind,
  restype: string | true | undefined,
  comp: string | true | undefined,
): string {
  return `${method} ${resource} ${restype ?? ""} ${comp ?? ""}`;
}

function weightOf<Services>({ query, header }: Operation<Services>): number {
  return Object.keys(query ?? {}).length + Object.keys(header ?? {}).length;
}

function isMeant<Services>(row: Operation<Services>, query: Query, headers: Headers): boolean {
  for (const name in row.query) {
    if (name === "restype" || name === "comp") continue;
    // An empty value names nothing: handlers treat it as absent, so routing and authorization must too.
    if (!agrees(row.query[name]!, query.get(name) || undefined)) return false;
  }
  for (const name in row.header) {
    if (!agrees(row.header[name]!, headers[name])) return false;
  }
  return true;
}

function agrees(expected: string | true, given: string | undefined): boolean {
  if (given === undefined) return false;
  return expected === true || expected === given || expected.toLowerCase() === given.toLowerCase();
}
