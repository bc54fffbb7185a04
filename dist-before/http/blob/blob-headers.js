import { createHash } from "node:crypto";
import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { badHeader, badQuery, Refusal } from "../../base/refusals.js";
import { revisionOfTimestamp } from "../../base/revision.js";
import { parseHttpDate, parseIsoDate } from "../wire/dates.js";
import { isMd5Base64 } from "../wire/digest.js";
import { readMetadata } from "../wire/metadata.js";
import { readBoolean, readLeaseId, readWriteConditions } from "./read-request.js";
import { parseTagsHeader } from "./tags-wire.js";
/** What requests say about a blob, decoded. */
export function readSelector(query) {
    const snapshot = readMoment(query, "snapshot");
    const version = readMoment(query, "versionid");
    if (snapshot !== undefined && version !== undefined) {
        throw badQuery("snapshot", query.get("snapshot"), "A snapshot and a version cannot be named together.");
    }
    return snapshot !== undefined ? { snapshot } : version !== undefined ? { version } : PRESENT;
}
const PRESENT = {};
export function readMoment(query, name) {
    const text = query.get(name);
    if (text === undefined || text === "")
        return undefined;
    const revision = revisionOfTimestamp(text);
    if (revision === undefined)
        throw badQuery(name, text, "This is not an id that was given out.");
    return revision;
}
/** Writes go to the blob itself: a snapshot or a version does not change. */
export function refusePast(query) {
    if (query.has("snapshot") || query.has("versionid"))
        throw new Refusal("InvalidOperation");
}
export function readBlobGuards(request, taken) {
    checkTagPermission(request);
    return {
        conditions: readWriteConditions(request.headers, taken),
        leaseId: readLeaseId(request.headers),
    };
}
export function readCreateGuards(request, taken) {
    return { ...readBlobGuards(request, taken), mayOverwrite: mayOverwrite(request.caller) };
}
/** A SAS with "create" alone makes new blobs and changes none. */
export function mayOverwrite(caller) {
    const isSas = caller.kind === "accountSas" || caller.kind === "serviceSas";
    return !isSas || caller.permissions.includes("w");
}
/** Asking about tags is reading them. */
export function checkTagPermission({ headers, caller }) {
    if (headers["x-ms-if-tags"] === undefined)
        return;
    const isSas = caller.kind === "accountSas" || caller.kind === "serviceSas";
    if (caller.kind === "anonymous" || (isSas && !caller.permissions.includes("t"))) {
        throw new Refusal("AuthorizationPermissionMismatch");
    }
}
const HTTP_FIELDS = [
    ["contentType", "x-ms-blob-content-type", "content-type"],
    ["contentEncoding", "x-ms-blob-content-encoding", "content-encoding"],
    ["contentLanguage", "x-ms-blob-content-language", "content-language"],
    ["contentDisposition", "x-ms-blob-content-disposition", undefined],
    ["cacheControl", "x-ms-blob-cache-control", "cache-control"],
];
/** The headers the blob is to be served with; Put Blob also takes the plain ones of its own body. */
export function readHttpHeaders(headers, takesPlain) {
    const found = {};
    for (const [field, name, plain] of HTTP_FIELDS) {
        const value = headers[name] ?? (takesPlain && plain !== undefined ? headers[plain] : undefined);
        if (value !== undefined && value !== "")
            found[field] = value;
    }
    const md5 = headers["x-ms-blob-content-md5"];
    if (md5 !== undefined && md5 !== "") {
        if (!isMd5Base64(md5))
            throw badHeader("x-ms-blob-content-md5", md5, "InvalidMd5");
        found.contentMd5 = md5;
    }
    return found;
}
/** Everything a blob can be made with. */
export function readProperties(request, takesPlain, tiers = BLOCK_TIERS) {
    const { headers } = request;
    const tags = headers["x-ms-tags"];
    const immutability = readImmutability(headers);
    const hasLegalHold = readBoolean(headers, "x-ms-legal-hold");
    return {
        http: readHttpHeaders(headers, takesPlain),
        metadata: readMetadata(request.rawHeaders),
        tags: tags === undefined ? undefined : parseTagsHeader(tags),
        tier: readTier(headers, tiers),
        encryption: readEncryption(request),
        immutability,
        hasLegalHold,
    };
}
export const BLOCK_TIERS = ["Hot", "Cool", "Cold", "Archive"];
/** As the protocol spells it, however the client did. */
export function readTier(headers, tiers) {
    const text = headers["x-ms-access-tier"];
    if (text === undefined)
        return undefined;
    const tier = tiers.find((name) => name.toLowerCase() === text.toLowerCase());
    if (tier === undefined)
        throw badHeader("x-ms-access-tier", text);
    return tier;
}
/** A customer's key is checked and forgotten: what is kept is its hash, to know it again. */
export function readEncryption({ headers, caller }) {
    const keySha256 = readCustomerKey(headers);
    const named = headers["x-ms-encryption-scope"];
    const bound = caller.kind === "accountSas" || caller.kind === "serviceSas" ? caller.encryptionScope : undefined;
    if (named !== undefined && (named === "" || named.length > BLOB_LIMITS.encryptionScopeCharsMax)) {
        throw badHeader("x-ms-encryption-scope", named);
    }
    if (bound !== undefined && named !== undefined && named !== bound)
        throw badHeader("x-ms-encryption-scope", named);
    const scope = named ?? bound;
    if (keySha256 !== undefined && scope !== undefined)
        throw badHeader("x-ms-encryption-scope", scope);
    return keySha256 === undefined && scope === undefined ? NO_WISH : { keySha256, scope };
}
const NO_WISH = {};
const KEY = /^[A-Za-z0-9+/]{43}=$/;
const OWN_KEY = {
    key: "x-ms-encryption-key",
    sha256: "x-ms-encryption-key-sha256",
    algorithm: "x-ms-encryption-algorithm",
};
export const SOURCE_KEY = {
    key: "x-ms-source-encryption-key",
    sha256: "x-ms-source-encryption-key-sha256",
    algorithm: "x-ms-source-encryption-algorithm",
};
export function readCustomerKey(headers, names = OWN_KEY) {
    const key = headers[names.key];
    const sha256 = headers[names.sha256];
    const algorithm = headers[names.algorithm];
    if (key === undefined && sha256 === undefined && algorithm === undefined)
        return undefined;
    // The key itself never goes into an answer, not even when it is wrong.
    if (key === undefined || !KEY.test(key))
        throw badHeader(names.key, "");
    if (algorithm !== "AES256")
        throw badHeader(names.algorithm, algorithm ?? "");
    const actual = createHash("sha256").update(Buffer.from(key, "base64")).digest("base64");
    if (sha256 !== actual)
        throw badHeader(names.sha256, sha256 ?? "");
    return actual;
}
export function readImmutability(headers) {
    const text = headers["x-ms-immutability-policy-until-date"];
    const mode = headers["x-ms-immutability-policy-mode"]?.toLowerCase();
    if (text === undefined) {
        if (mode !== undefined)
            throw badHeader("x-ms-immutability-policy-mode", mode);
        return undefined;
    }
    const until = parseHttpDate(text) ?? parseIsoDate(text);
    if (until === undefined)
        throw badHeader("x-ms-immutability-policy-until-date", text);
    if (mode !== undefined && mode !== "locked" && mode !== "unlocked") {
        throw badHeader("x-ms-immutability-policy-mode", mode);
    }
    return { until, mode: mode ?? "unlocked" };
}
