import { authenticationFailed, challenge } from "./refuse.js";
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
export function isBearer(authorization) {
    return authorization.slice(0, 7).toLowerCase() === "bearer ";
}
export function authenticateBearer(request, context, authorization) {
    const claims = readBearer(request, context, authorization);
    return { kind: "bearer", account: request.target.account, ...claims };
}
export function readBearer(request, context, authorization) {
    if (context.oauth === "off")
        throw refused("Bearer tokens are not accepted by this server.");
    if (!request.isSecure) {
        throw authenticationFailed("Authentication scheme Bearer is not supported over plain HTTP.");
    }
    if (request.version < FIRST_VERSION) {
        throw authenticationFailed("Authentication scheme Bearer is not supported in this version.");
    }
    if (!isBearer(authorization))
        throw refused(MALFORMED);
    const claims = claimsOf(authorization.slice(7).trim());
    const now = context.clock.now() / 1_000;
    if (typeof claims.exp !== "number" || claims.exp <= now)
        throw refused("Lifetime validation failed. The token is expired.");
    if (claims.nbf !== undefined && !(typeof claims.nbf === "number" && claims.nbf <= now)) {
        throw refused("Lifetime validation failed. The token is not yet valid.");
    }
    const { iss, aud, oid, tid } = claims;
    if (typeof iss !== "string" || !ISSUERS.some((prefix) => iss.startsWith(prefix))) {
        throw refused("Issuer validation failed.");
    }
    // An account that does not exist is nobody's audience: no hint whether it does.
    const isKnown = context.accounts.find(request.target.account) !== undefined;
    if (typeof aud !== "string" || !isAudience(aud, request) || !isKnown) {
        throw refused("Audience validation failed.");
    }
    return {
        objectId: typeof oid === "string" ? oid : "",
        tenantId: typeof tid === "string" ? tid : "",
    };
}
/** Either all of storage, or this service of this account. */
function isAudience(audience, { target }) {
    const text = audience.endsWith("/") ? audience.slice(0, -1) : audience;
    if (AUDIENCES_FOR_ALL.includes(text))
        return true;
    return CLOUDS.some((cloud) => text === `https://${target.account}.${target.service}.${cloud}`);
}
function claimsOf(token) {
    const parts = token.split(".", 4);
    if (parts.length !== 3 || parts[2] === "")
        throw refused(MALFORMED);
    const algorithm = jsonOf(parts[0]).alg;
    // "none" announces a token that nobody signed; that is malformed even where signatures go unchecked.
    if (typeof algorithm !== "string" || algorithm === "" || algorithm.toLowerCase() === "none") {
        throw refused(MALFORMED);
    }
    return jsonOf(parts[1]);
}
function jsonOf(part) {
    if (!/^[\w-]+$/.test(part))
        throw refused(MALFORMED);
    let value;
    try {
        value = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    }
    catch (error) {
        if (error instanceof SyntaxError)
            throw refused(MALFORMED);
        throw error;
    }
    if (typeof value !== "object" || value === null || Array.isArray(value))
        throw refused(MALFORMED);
    return value;
}
function refused(detail) {
    return challenge("InvalidBearerToken", detail);
}
