import { FILE_LIMITS } from "../../base/limits-file.ts";
import type { Random } from "../../base/random.ts";
import { badHeader } from "../../base/refusals.ts";
import { leaseFile, leaseShare } from "../../services/file/lease.ts";
import type { LeaseAction, LeaseResult } from "../../services/lease-action.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import type { Permission } from "../operation.ts";
import {
  missingHeader,
  readGuid,
  readLeaseLength,
  readPathRef,
  readWhole,
  requireGuid,
} from "./read-request.ts";
import { stamp } from "./replies.ts";
import { type FileRow, type FileServices, onNode, onShare, row } from "./rows.ts";
import { readRef } from "./share.ts";

/** Lease File and Lease Share: one set of headers; a file's lease never ends by itself and needs no renewal. */
type ActionName = LeaseAction["action"];
type Kind = "File" | "Share";

const ACTIONS: Readonly<Record<Kind, readonly ActionName[]>> = {
  File: ["acquire", "change", "release", "break"],
  Share: ["acquire", "renew", "change", "release", "break"],
};

const STATUS: Readonly<Record<ActionName, number>> = {
  acquire: 201,
  renew: 200,
  change: 200,
  release: 200,
  break: 202,
};

function readLeaseAction(kind: Kind, action: ActionName, headers: Headers, random: Random): LeaseAction {
  switch (action) {
    case "acquire": {
      const proposed = readGuid(headers, "x-ms-proposed-lease-id");
      const length = kind === "Share" ? readLeaseLength(headers) : readEndless(headers);
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
      const max = FILE_LIMITS.breakSecondsMax;
      const name = "x-ms-lease-break-period";
      const seconds = kind === "Share" ? readWhole(headers, name, { min: 0, max }) : undefined;
      return { action, period: seconds === undefined ? undefined : seconds * 1_000 };
    }
  }
}

/** The length of a file's lease may be left out; -1 is the only one there is. */
function readEndless(headers: Headers): "infinite" {
  const given = headers["x-ms-lease-duration"];
  if (given !== undefined && given !== "-1") throw badHeader("x-ms-lease-duration", given);
  return "infinite";
}

function leaseReply(action: ActionName, { revision, lease, secondsLeft }: LeaseResult): HttpReply {
  const id = action === "release" || lease.state === "available" ? undefined : lease.id;
  return {
    status: STATUS[action],
    headers: {
      ...stamp(revision),
      "x-ms-lease-id": action === "break" ? undefined : id,
      "x-ms-lease-time": action === "break" ? String(secondsLeft) : undefined,
    },
  };
}

async function handleLease(
  kind: Kind,
  action: ActionName,
  request: HttpRequest,
  { files }: FileServices,
): Promise<HttpReply> {
  const lease = readLeaseAction(kind, action, request.headers, files.parts.random);
  const result =
    kind === "File"
      ? await leaseFile(files, { ref: readPathRef(request), lease })
      : await leaseShare(files, { ref: readRef(request), lease });
  return leaseReply(action, result);
}

async function unknownAction({ headers }: HttpRequest): Promise<HttpReply> {
  const action = headers["x-ms-lease-action"];
  throw action === undefined ? missingHeader("x-ms-lease-action") : badHeader("x-ms-lease-action", action);
}

/** One row for each action, and one that says what is wrong with a request that names none of them. */
function leaseRows(kind: Kind, permission: Permission, withDelete: Permission): FileRow[] {
  const common = {
    method: "PUT",
    resource: kind === "File" ? "file" : "share",
    query: kind === "File" ? { comp: "lease" } : { restype: "share", comp: "lease" },
    returnsEtag: true,
    lease: "manages",
  } as const;
  const rows = ACTIONS[kind].map((action) =>
    row({
      ...common,
      name: `${action[0]!.toUpperCase()}${action.slice(1)}${kind}Lease`,
      header: { "x-ms-lease-action": action },
      // Who may delete may also break a lease that stands in the way.
      permission: action === "break" ? withDelete : permission,
      ok: [STATUS[action]],
      handle: (request, services) => handleLease(kind, action, request, services),
    }),
  );
  return [...rows, row({ ...common, name: `Lease${kind}`, permission, handle: unknownAction })];
}

export const LEASE_ROWS: readonly FileRow[] = [
  ...leaseRows("File", onNode(["w"]), onNode(["w", "d"])),
  ...leaseRows("Share", onShare(["w"]), onShare(["w", "d"])),
];
