import type { Millis } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Random } from "../../base/random.ts";
import { badHeader } from "../../base/refusals.ts";
import type { LeaseAction, LeaseResult } from "../../services/lease-action.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import type { ConditionHeader, Operation, Permission } from "../operation.ts";
import { missingHeader, readGuid, readWhole, requireGuid } from "./read-headers.ts";
import { stamp } from "./replies.ts";
import { row, type Selection } from "./rows.ts";

/** Lease Blob, Lease Container, Lease File and Lease Share: one set of headers, up to five actions. */
export type ActionName = LeaseAction["action"];

const STATUS: Readonly<Record<ActionName, number>> = {
  acquire: 201,
  renew: 200,
  change: 200,
  release: 200,
  break: 202,
};

/** `isEndless`: a file's lease never ends by itself, needs no renewal and breaks at once. */
export interface LeaseKind {
  readonly isEndless?: boolean;
}

export function readLeaseAction(
  action: ActionName,
  headers: Headers,
  random: Random,
  { isEndless = false }: LeaseKind = {},
): LeaseAction {
  if (!isEndless) refuseForeign(action, headers);
  switch (action) {
    case "acquire": {
      const proposed = readGuid(headers, "x-ms-proposed-lease-id");
      const length = isEndless ? readEndless(headers) : readLeaseLength(headers);
      return { action, id: proposed ?? random.uuid(), isProposed: proposed !== undefined, length };
    }
    case "renew":
    case "release":
      return { action, id: requireGuid(headers, "x-ms-lease-id") };
    case "change":
      return {
        action,
        current: requireGuid(headers, "x-ms-lease-id"),
        proposed: requireGuid(headers, "x-ms-proposed-lease-id"),
      };
    case "break": {
      const bounds = { min: 0, max: LIMITS.breakSecondsMax };
      const seconds = isEndless ? undefined : readWhole(headers, "x-ms-lease-break-period", bounds);
      return { action, period: seconds === undefined ? undefined : seconds * 1_000 };
    }
  }
}

/** x-ms-lease-duration: -1 for ever, or 15 to 60 seconds. */
function readLeaseLength(headers: Headers): Millis | "infinite" {
  const name = "x-ms-lease-duration";
  const { leaseSecondsMin, leaseSecondsMax } = LIMITS;
  const seconds = readWhole(headers, name, { min: -1, max: leaseSecondsMax });
  if (seconds === undefined) throw missingHeader(name);
  if (seconds === -1) return "infinite";
  if (seconds < leaseSecondsMin) throw badHeader(name, String(seconds));
  return seconds * 1_000;
}

/** A lease of a file is infinite: the header may be absent, or -1. */
function readEndless(headers: Headers): "infinite" {
  const duration = headers["x-ms-lease-duration"];
  if (duration !== undefined && duration !== "-1") throw badHeader("x-ms-lease-duration", duration);
  return "infinite";
}

/** Refuses a duration or a break period on an action that has none. */
function refuseForeign(action: ActionName, headers: Headers): void {
  const duration = headers["x-ms-lease-duration"];
  if (duration !== undefined && action !== "acquire") throw badHeader("x-ms-lease-duration", duration);
  const period = headers["x-ms-lease-break-period"];
  if (period !== undefined && action !== "break") throw badHeader("x-ms-lease-break-period", period);
}

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
export function leaseRows<Services>(
  leased: "Blob" | "Container" | "File" | "Share",
  selection: Selection,
  permission: Permission,
  handle: (action: ActionName, request: HttpRequest, services: Services) => Promise<HttpReply>,
  { actions = ["acquire", "renew", "change", "release", "break"], conditions = [] }: LeaseRowOptions = {},
): Operation<Services>[] {
  const options = { conditions, returnsEtag: true, lease: "manages" } as const;
  const rows = actions.map((action) =>
    row<Services>(
      `${action[0]!.toUpperCase()}${action.slice(1)}${leased}Lease`,
      `PUT ${selection}, x-ms-lease-action: ${action}`,
      // A caller that may delete may also break a lease that stands in the way.
      action === "break" ? withDelete(permission) : permission,
      (request, services) => handle(action, request, services),
      { ...options, ok: [STATUS[action]] },
    ),
  );
  return [...rows, row(`Lease${leased}`, `PUT ${selection}`, permission, unknownAction, options)];
}

interface LeaseRowOptions {
  readonly actions?: readonly ActionName[];
  readonly conditions?: readonly ConditionHeader[];
}

function withDelete({ type, account, service }: Permission): Permission {
  return { type, account: [...account, "d"], service: service.length === 0 ? [] : [...service, "d"] };
}

async function unknownAction({ headers }: HttpRequest): Promise<HttpReply> {
  const action = headers["x-ms-lease-action"];
  throw action === undefined ? missingHeader("x-ms-lease-action") : badHeader("x-ms-lease-action", action);
}
