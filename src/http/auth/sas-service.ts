import type { Instant } from "../../base/clock.ts";
import type { StoredPolicy } from "../../services/account/stored-policy.ts";
import type { Query, ServiceName } from "../exchange.ts";
import type { ServiceSasCaller, TableBounds } from "./caller.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
import { authenticationFailed, sasFieldInvalid, sasMismatch } from "./refuse.ts";
import {
  checkOrigin,
  checkWindow,
  joinFields,
  refuseUnsigned,
  sasField,
  sasOverrides,
  sasTime,
  sasVersion,
} from "./sas-fields.ts";
import { canonicalResource, coveredPath, type SasResource, sasResource } from "./sas-resource.ts";
import { isSigned } from "./verify.ts";

/**
 * A service SAS: one container, blob, directory, queue, table, share or file, signed with the account key.
 * A stored access policy (`si`) may set start, expiry and permissions instead, each in exactly one place.
 *
 * The tables below are the protocol's: which fields are signed, in order, since which `sv`. "cr" is the
 * canonicalized resource, "snapshot" the snapshot time or version id.
 */
interface Generation {
  readonly since: string;
  readonly signed: readonly string[];
}

const BASE = ["sp", "st", "se", "cr", "si"] as const;
const ORIGIN = ["sip", "spr", "sv"] as const;
export const OVERRIDE_FIELDS = ["rscc", "rscd", "rsce", "rscl", "rsct"] as const;
export const BOUND_FIELDS = ["spk", "srk", "epk", "erk"] as const;

const GENERATIONS: Readonly<Record<ServiceName, readonly Generation[]>> = {
  blob: [
    { since: "2020-12-06", signed: [...BASE, ...ORIGIN, "sr", "snapshot", "ses", ...OVERRIDE_FIELDS] },
    { since: "2018-11-09", signed: [...BASE, ...ORIGIN, "sr", "snapshot", ...OVERRIDE_FIELDS] },
    { since: "2015-04-05", signed: [...BASE, ...ORIGIN, ...OVERRIDE_FIELDS] },
    { since: "2013-08-15", signed: [...BASE, "sv", ...OVERRIDE_FIELDS] },
    { since: "2012-02-12", signed: [...BASE, "sv"] },
  ],
  file: [
    { since: "2015-04-05", signed: [...BASE, ...ORIGIN, ...OVERRIDE_FIELDS] },
    { since: "2015-02-21", signed: [...BASE, "sv", ...OVERRIDE_FIELDS] },
  ],
  queue: [
    { since: "2015-04-05", signed: [...BASE, ...ORIGIN] },
    { since: "2012-02-12", signed: [...BASE, "sv"] },
  ],
  table: [
    { since: "2015-04-05", signed: [...BASE, ...ORIGIN, ...BOUND_FIELDS] },
    { since: "2012-02-12", signed: [...BASE, "sv", ...BOUND_FIELDS] },
  ],
};

export function authenticateServiceSas(
  request: Unauthenticated,
  context: AuthContext,
): ServiceSasCaller | Promise<ServiceSasCaller> {
  const { query, target } = request;
  const generations = GENERATIONS[target.service];
  const version = sasVersion(query, generations.at(-1)!.since);
  const { signed } = generations.find(({ since }) => version >= since)!;
  const resource = sasResource(request, version);
  const path = signedPath(request, context, version, signed, resource);

  refuseUnsigned(query, signed, context);
  if (sasField(query, "si") === "") {
    return admit(request, context, { version, signed, resource, path }, undefined);
  }
  return admitByPolicy(request, context, { version, signed, resource, path });
}

interface Proven {
  readonly version: string;
  readonly signed: readonly string[];
  readonly resource: SasResource;
  readonly path: string;
}

/** The path the signature was made for. */
function signedPath(
  { query, target }: Unauthenticated,
  context: AuthContext,
  version: string,
  signed: readonly string[],
  { paths, snapshot }: SasResource,
): string {
  const account = context.accounts.find(target.account);
  const signature = sasField(query, "sig");
  let firstText: string | undefined;
  for (const path of paths) {
    const cr = canonicalResource(target.service, target.account, path, version);
    const text = joinFields(query, signed, { cr, snapshot: snapshot ?? "" });
    if (isSigned(account, text, signature, 0)) return path;
    firstText ??= text;
  }
  throw sasMismatch(firstText!);
}

async function admitByPolicy(
  request: Unauthenticated,
  context: AuthContext,
  proven: Proven,
): Promise<ServiceSasCaller> {
  const { service, account } = request.target;
  const slash = proven.path.indexOf("/");
  const name = slash === -1 ? proven.path : proven.path.slice(0, slash);
  const policies = await context.policies(service, account, name);
  const id = sasField(request.query, "si");
  const policy = policies?.find((candidate) => candidate.id === id);
  if (policy === undefined) throw authenticationFailed("Access policy not found.");
  return admit(request, context, proven, policy);
}

/** The limits of a SAS whose signature is good, and what it grants. */
function admit(
  request: Unauthenticated,
  context: AuthContext,
  { version, signed, resource, path }: Proven,
  policy: StoredPolicy | undefined,
): ServiceSasCaller {
  const { query } = request;
  refuseTwice(query, "sp", policy?.permissions || undefined);
  refuseTwice(query, "st", policy?.start);
  refuseTwice(query, "se", policy?.expiry);
  const permissions = sasField(query, "sp") || policy?.permissions;
  const start = sasTime(query, "st") ?? policy?.start;
  const expiry = sasTime(query, "se") ?? policy?.expiry;
  if (permissions === undefined || !/^[a-z]+$/.test(permissions)) throw sasFieldInvalid("sp");
  if (expiry === undefined) throw sasFieldInvalid("se");
  checkWindow({ start, expiry }, context.clock.now());
  checkOrigin(request, signed);
  return sasCaller(request, { version, signed, resource, path }, { permissions, isDelegated: false });
}

/** The caller of a SAS for a resource, signed with the account's key or with a delegated one. */
export function sasCaller(
  { query, target }: Unauthenticated,
  { version, signed, resource, path }: Proven,
  { permissions, isDelegated }: Pick<ServiceSasCaller, "permissions" | "isDelegated">,
): ServiceSasCaller {
  const scope = signed.includes("ses") ? sasField(query, "ses") : "";
  return {
    kind: "serviceSas",
    account: target.account,
    version,
    isDelegated,
    service: target.service,
    resource: resource.resource,
    path: coveredPath(resource.resource, path),
    snapshot: resource.snapshot,
    permissions,
    encryptionScope: scope === "" ? undefined : scope,
    overrides: sasOverrides(query, signed),
    tableBounds: target.service === "table" ? tableBounds(query) : undefined,
  };
}

/** Each field is in the SAS or in the policy, never in both. */
function refuseTwice(query: Query, name: string, inPolicy: string | Instant | undefined): void {
  const inSas = sasField(query, name);
  if (inSas === "" || inPolicy === undefined) return;
  throw authenticationFailed(
    "Access policy fields can be associated with signature or SAS identifier but not both.",
  );
}

/**
 * An empty bound counts as none: both sign alike, so a client could exchange them. A row bound means nothing
 * without its partition bound.
 */
function tableBounds(query: Query): TableBounds | undefined {
  const [startPartition, startRow, endPartition, endRow] = BOUND_FIELDS.map(
    (name) => sasField(query, name) || undefined,
  );
  if (startPartition === undefined && startRow !== undefined) throw sasFieldInvalid("spk");
  if (endPartition === undefined && endRow !== undefined) throw sasFieldInvalid("epk");
  if (startPartition === undefined && endPartition === undefined) return undefined;
  return { startPartition, startRow, endPartition, endRow };
}
