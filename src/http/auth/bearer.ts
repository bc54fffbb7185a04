import type { Caller } from "./caller.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
import { authenticationFailed, challenge, isChallenged } from "./refuse.ts";

/**
 * Bearer tokens under `--oauth basic`: the server checks structure, times, issuer and audience of a token,
 * and not its signature. That lets code written for Entra ID run against a test server; it protects nothing,
 * so it is off by default, and tokens are refused over plain HTTP, where others could read them.
 */
export interface BearerClaims {
  readonly objectId: string;
  readonly tenantId: string;
}

const FIRST_VERSION = "2017-11-09";
const ISSUERS = [
  "https://sts.windows.net/",
  "https://sts.microsoftonline.de/",
  "https://sts.chinacloudapi.cn/",
  "https://sts.windows-ppe.net/",
];
const AUDIENCES_FOR_ALL = ["https://storage.azure.com", "e406a681-f3d4-42a8-90b6-c2b029497af1"];
const CLOUDS = ["core.windows.net", "core.chinacloudapi.cn", "core.usgovcloudapi.net", "core.cloudapi.de"];
const MALFORMED = "The access token was missing or malformed.";

export function isBearer(authorization: string): boolean {
  return authorization.slice(0, 7).toLowerCase() === "bearer ";
}

export function authenticateBearer(
  request: Unauthenticated,
  context: AuthContext,
  authorization: string,
): Caller {
  const claims = readBearer(request, context, authorization);
  return { kind: "bearer", account: request.target.account, ...claims };
}

export function readBearer(
  request: Unauthenticated,
  context: AuthContext,
  authorization: string,
): BearerClaims {
  if (context.oauth === "off") throw refused(request, "Bearer tokens are not accepted by this server.");
  if (!request.isSecure) {
    throw authenticationFailed("Authentication scheme Bearer is not supported over plain HTTP.");
  }
  if (request.version < FIRST_VERSION) {
    throw authenticationFailed("Authentication scheme Bearer is not supported in this version.");
  }
  if (!isBearer(authorization)) throw refused(request, MALFORMED);
  const claims = claimsOf(request, authorization.slice(7).trim());
  const now = context.clock.now() / 1_000;
  if (typeof claims.exp !== "number" || claims.exp <= now)
    throw refused(request, "Lifetime validation failed. The token is expired.");
  if (claims.nbf !== undefined && !(typeof claims.nbf === "number" && claims.nbf <= now)) {
    throw refused(request, "Lifetime validation failed. The token is not yet valid.");
  }
  const { iss, aud, oid, tid } = claims;
  if (typeof iss !== "string" || !ISSUERS.some((prefix) => iss.startsWith(prefix))) {
    throw refused(request, "Issuer validation failed. Issuer did not match.");
  }
  // The same refusal for an account that does not exist: no hint whether it does.
  const exists = context.accounts.find(request.target.account) !== undefined;
  if (typeof aud !== "string" || !isAudience(aud, request) || !exists) {
    throw refused(request, "Audience validation failed. Audience did not match.");
  }
  return {
    objectId: typeof oid === "string" ? oid : "",
    tenantId: typeof tid === "string" ? tid : "",
  };
}

/** Either all of storage, or this service of this account. */
function isAudience(audience: string, { target }: Unauthenticated): boolean {
  const text = audience.endsWith("/") ? audience.slice(0, -1) : audience;
  if (AUDIENCES_FOR_ALL.includes(text)) return true;
  return CLOUDS.some((cloud) => text === `https://${target.account}.${target.service}.${cloud}`);
}

function claimsOf(request: Unauthenticated, token: string): Record<string, unknown> {
  const parts = token.split(".", 4);
  if (parts.length !== 3 || parts[2] === "") throw refused(request, MALFORMED);
  const algorithm = jsonOf(request, parts[0]!).alg;
  // "none" declares an unsigned token, which is malformed although signatures are not checked.
  if (typeof algorithm !== "string" || algorithm === "" || algorithm.toLowerCase() === "none") {
    throw refused(request, MALFORMED);
  }
  return jsonOf(request, parts[1]!);
}

function jsonOf(request: Unauthenticated, part: string): Record<string, unknown> {
  if (!/^[\w-]+$/.test(part)) throw refused(request, MALFORMED);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) throw refused(request, MALFORMED);
    throw error;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refused(request, MALFORMED);
  return value as Record<string, unknown>;
}

/**
 * Versions without a challenge (.NET's queue client sends 2018-11-09) get the refusal of a wrong signature.
 */
function refused(request: Unauthenticated, detail: string): Error {
  return isChallenged(request) ? challenge("InvalidBearerToken", detail) : authenticationFailed(detail);
}
