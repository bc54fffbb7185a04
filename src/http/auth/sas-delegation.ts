import type { Instant } from "../../base/clock.ts";
import type { ServiceName } from "../exchange.ts";
import { type BearerClaims, readBearer } from "./bearer.ts";
import type { ServiceSasCaller } from "./caller.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
import { type DelegationKeyFields, delegationKeyOf, SERVICE_LETTERS } from "./delegation-key.ts";
import { authenticationFailed, sasFieldInvalid, sasMismatch } from "./refuse.ts";
import {
  checkOrigin,
  checkWindow,
  joinFields,
  nameList,
  refuseUnsigned,
  sasField,
  sasTime,
  sasVersion,
} from "./sas-fields.ts";
import { canonicalResource, sasResource } from "./sas-resource.ts";
import { BOUND_FIELDS, OVERRIDE_FIELDS, sasCaller } from "./sas-service.ts";
import { isSignedBy } from "./verify.ts";

/**
 * A user delegation SAS: like a service SAS, but signed with a key from Get User Delegation Key. The SAS has
 * the fields of that key (`sk...`), and the server derives the key from them again.
 *
 * From 2025-07-05 a SAS may be bound to one user (`sduoid`), who must send a token too, and from 2026-04-06
 * to values of request headers and query parameters (`srh`, `srq`).
 */
const BASE = ["sp", "st", "se", "cr", "skoid", "sktid", "skt", "ske", "sks", "skv"] as const;
const AGENT = ["saoid", "suoid", "scid"] as const;
const USER = ["skdutid", "sduoid"] as const;
const ORIGIN = ["sip", "spr", "sv"] as const;
const RESOURCE = ["sr", "snapshot"] as const;
const REQUEST = ["srh", "srq"] as const;
const PLAIN = [...BASE, ...USER, ...ORIGIN] as const;

const GENERATIONS: Readonly<Record<ServiceName, readonly { since: string; signed: readonly string[] }[]>> = {
  blob: [
    {
      since: "2026-04-06",
      signed: [...BASE, ...AGENT, ...USER, ...ORIGIN, ...RESOURCE, "ses", ...REQUEST, ...OVERRIDE_FIELDS],
    },
    {
      since: "2025-07-05",
      signed: [...BASE, ...AGENT, ...USER, ...ORIGIN, ...RESOURCE, "ses", ...OVERRIDE_FIELDS],
    },
    { since: "2020-12-06", signed: [...BASE, ...AGENT, ...ORIGIN, ...RESOURCE, "ses", ...OVERRIDE_FIELDS] },
    { since: "2020-02-10", signed: [...BASE, ...AGENT, ...ORIGIN, ...RESOURCE, ...OVERRIDE_FIELDS] },
    { since: "2018-11-09", signed: [...BASE, ...ORIGIN, ...RESOURCE, ...OVERRIDE_FIELDS] },
  ],
  file: [{ since: "2025-07-05", signed: [...PLAIN, ...OVERRIDE_FIELDS] }],
  queue: [{ since: "2025-07-05", signed: PLAIN }],
  table: [{ since: "2025-07-05", signed: [...PLAIN, ...BOUND_FIELDS] }],
};

export function authenticateDelegationSas(request: Unauthenticated, context: AuthContext): ServiceSasCaller {
  // A token buys the key: a server that does not accept tokens (any more) does not accept their keys either.
  if (context.oauth === "off")
    throw authenticationFailed("User delegation SAS are accepted only where bearer tokens are.");
  const { query, target } = request;
  const generations = GENERATIONS[target.service];
  const version = sasVersion(query, generations.at(-1)!.since);
  const { signed } = generations.find(({ since }) => version >= since)!;
  const resource = sasResource(request, version);
  const key = keyFields(request);
  const account = context.accounts.find(target.account);
  const own = {
    snapshot: resource.snapshot ?? "",
    srh: signed.includes("srh") ? headerBlock(request) : "",
    srq: signed.includes("srq") ? queryBlock(request) : "",
  };
  const path = resource.paths.find((candidate) => {
    const cr = canonicalResource(target.service, target.account, candidate, version);
    const text = joinFields(query, signed, { ...own, cr });
    // Either account key may have made it: a delegation key survives the rotation of the other one.
    return isSignedBy(account, (rawKey) => delegationKeyOf(rawKey, key), text, sasField(query, "sig"));
  });
  if (path === undefined) {
    const cr = canonicalResource(target.service, target.account, resource.paths[0]!, version);
    throw sasMismatch(joinFields(query, signed, { ...own, cr }));
  }

  refuseUnsigned(query, signed, context);
  if (sasField(query, "si") !== "") throw sasFieldInvalid("si");
  const permissions = sasField(query, "sp");
  if (!/^[a-z]+$/.test(permissions)) throw sasFieldInvalid("sp");
  const expiry = sasTime(query, "se");
  if (expiry === undefined) throw sasFieldInvalid("se");
  const now = context.clock.now();
  checkWindow({ start: sasTime(query, "st"), expiry }, now);
  checkWindow({ start: key.start, expiry: key.expiry }, now);
  checkOrigin(request, signed);
  if (signed.includes("sduoid")) checkUser(request, context);
  return sasCaller(request, { version, signed, resource, path }, { permissions, isDelegated: true });
}

/** The fields of the delegation key, all of them required. */
function keyFields({ query, target }: Unauthenticated): DelegationKeyFields {
  const required = (name: string): string => {
    const value = sasField(query, name);
    if (value === "") throw sasFieldInvalid(name);
    return value;
  };
  const instant = (name: string): Instant => {
    const value = sasTime(query, name);
    if (value === undefined) throw sasFieldInvalid(name);
    return value;
  };
  const service = required("sks");
  if (service !== SERVICE_LETTERS[target.service]) throw sasFieldInvalid("sks");
  return {
    objectId: required("skoid"),
    tenantId: required("sktid"),
    start: instant("skt"),
    expiry: instant("ske"),
    service,
    version: required("skv"),
    delegatedTenantId: sasField(query, "skdutid") || undefined,
  };
}

/** `name:value` and a line feed for each header that `srh` lists; the request must have all of them. */
function headerBlock({ headers, query }: Unauthenticated): string {
  let text = "";
  for (const name of nameList(query, "srh")) {
    const lower = name.toLowerCase();
    const value = Object.hasOwn(headers, lower) ? headers[lower] : undefined;
    if (value === undefined) throw authenticationFailed(`The SAS asks for the request header ${name}.`);
    text += `${name}:${value}\n`;
  }
  return text;
}

function queryBlock({ query }: Unauthenticated): string {
  let text = "";
  for (const name of nameList(query, "srq")) {
    if (name.includes(":") || !query.has(name)) {
      throw authenticationFailed(`The SAS asks for the query parameter ${name}.`);
    }
    text += `\n${name}:${sasField(query, name)}`;
  }
  return text;
}

/** A SAS bound to a user works only next to a token of that user. */
function checkUser(request: Unauthenticated, context: AuthContext): void {
  const objectId = sasField(request.query, "sduoid");
  if (objectId === "") return;
  const claims: BearerClaims = readBearer(request, context, request.headers.authorization ?? "");
  const tenantId = sasField(request.query, "skdutid") || sasField(request.query, "sktid");
  if (claims.objectId !== objectId || claims.tenantId !== tenantId) {
    throw authenticationFailed("The bearer token is not of the user the SAS is bound to.");
  }
}
