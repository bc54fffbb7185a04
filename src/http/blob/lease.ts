import { BLOB_LIMITS } from "../../base/limits-blob.ts";
import type { Random } from "../../base/random.ts";
import { badHeader } from "../../base/refusals.ts";
import { leaseBlob as leaseBlobOf } from "../../services/blob/lease-blob.ts";
import { leaseContainer as leaseContainerOf } from "../../services/blob/lease-container.ts";
import type { LeaseAction, LeaseResult } from "../../services/lease-action.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import type { ConditionHeader, Permission } from "../operation.ts";
import { refusePast } from "./blob-headers.ts";
import {
  IF_ALL,
  IF_DATES,
  missingHeader,
  readBlobRef,
  readContainerRef,
  readGuid,
  readLeaseLength,
  readWhole,
  readWriteConditions,
  requireGuid,
} from "./read-request.ts";
import { stamp } from "./replies.ts";
import { type BlobRow, type BlobServices, onBlob, onContainer, row } from "./rows.ts";

/** Lease Container and Lease Blob: one set of headers, five actions. */
const ACTIONS = ["acquire", "renew", "change", "release", "break"] as const;
type ActionName = (typeof ACTIONS)[number];

export function readLeaseAction(action: ActionName, headers: Headers, random: Random): LeaseAction {
  refuseForeign(action, headers);
  switch (action) {
    case "acquire": {
      const proposed = readGuid(headers, "x-ms-proposed-lease-id");
      const length = readLeaseLength(headers);
      return { action, id: proposed ?? random.uuid(), isProposed: proposed !== undefined, length };
    }
    case "renew":
    case "release":
      return { action, id: requireGuid(headers, "x-ms-lease-id") };
    case "change":
      return {
        action,
        held: requireGuid(headers, "x-ms-lease-id"),
        proposed: requireGuid(headers, "x-ms-proposed-lease-id"),
      };
    case "break": {
      const seconds = readWhole(headers, "x-ms-lease-break-period", {
        min: 0,
        max: BLOB_LIMITS.breakSecondsMax,
      });
      return { action, period: seconds === undefined ? undefined : seconds * 1_000 };
    }
  }
}

/** A length or a break period sent along with an action that has none is a mistake the client should hear of. */
function refuseForeign(action: ActionName, headers: Headers): void {
  const duration = headers["x-ms-lease-duration"];
  if (duration !== undefined && action !== "acquire") throw badHeader("x-ms-lease-duration", duration);
  const period = headers["x-ms-lease-break-period"];
  if (period !== undefined && action !== "break") throw badHeader("x-ms-lease-break-period", period);
}

const STATUS: Readonly<Record<ActionName, number>> = {
  acquire: 201,
  renew: 200,
  change: 200,
  release: 200,
  break: 202,
};

export function leaseReply(action: ActionName, { revision, lease, secondsLeft }: LeaseResult): HttpReply {
  const id = action === "release" || action === "break" || lease.state === "available" ? undefined : lease.id;
  const headers = {
    ...stamp(revision),
    "x-ms-lease-id": id,
    "x-ms-lease-time": action === "break" ? String(secondsLeft) : undefined,
  };
  return { status: STATUS[action], headers };
}

/** One row for each action, and one that says what is wrong with a request that names none of them. */
export function leaseRows(
  what: "Blob" | "Container",
  options: {
    readonly query: Readonly<Record<string, string>>;
    readonly permission: Permission;
    readonly conditions: readonly ConditionHeader[];
    readonly handle: (action: ActionName, request: HttpRequest, services: BlobServices) => Promise<HttpReply>;
  },
): BlobRow[] {
  const { query, permission, conditions, handle } = options;
  const resource = what === "Blob" ? "blob" : "container";
  const common = { method: "PUT", resource, query, conditions, returnsEtag: true, lease: "manages" } as const;
  const rows = ACTIONS.map((action) =>
    row({
      ...common,
      name: `${action[0]!.toUpperCase()}${action.slice(1)}${what}Lease`,
      header: { "x-ms-lease-action": action },
      // Who may delete may also break a lease that stands in the way.
      permission: action === "break" ? withDelete(permission) : permission,
      ok: [STATUS[action]],
      handle: (request, services) => handle(action, request, services),
    }),
  );
  const unknown = row({ ...common, name: `Lease${what}`, permission, handle: unknownAction });
  return [...rows, unknown];
}

function withDelete({ type, account, service }: Permission): Permission {
  return { type, account: [...account, "d"], service: service.length === 0 ? [] : [...service, "d"] };
}

async function unknownAction({ headers }: HttpRequest): Promise<HttpReply> {
  const action = headers["x-ms-lease-action"];
  throw action === undefined ? missingHeader("x-ms-lease-action") : badHeader("x-ms-lease-action", action);
}

async function leaseContainer(
  action: ActionName,
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  const result = await leaseContainerOf(blobs, {
    ref: readContainerRef(request),
    conditions: readWriteConditions(request.headers, IF_DATES),
    lease: readLeaseAction(action, request.headers, blobs.parts.random),
  });
  return leaseReply(action, result);
}

async function leaseBlob(
  action: ActionName,
  request: HttpRequest,
  { blobs }: BlobServices,
): Promise<HttpReply> {
  // Of snapshots and versions there is nothing to lease.
  refusePast(request.query);
  const result = await leaseBlobOf(blobs, {
    ref: readBlobRef(request),
    conditions: readWriteConditions(request.headers, IF_ALL),
    lease: readLeaseAction(action, request.headers, blobs.parts.random),
  });
  return leaseReply(action, result);
}

export const BLOB_LEASE_ROWS: readonly BlobRow[] = leaseRows("Blob", {
  query: { comp: "lease" },
  permission: onBlob(["w"]),
  conditions: IF_ALL,
  handle: leaseBlob,
});

export const CONTAINER_LEASE_ROWS: readonly BlobRow[] = leaseRows("Container", {
  query: { restype: "container", comp: "lease" },
  permission: onContainer(["w"]),
  conditions: IF_DATES,
  handle: leaseContainer,
});
