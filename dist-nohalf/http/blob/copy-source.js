import { BLOB_LIMITS } from "../../base/limits-blob.js";
import { badHeader, Refusal } from "../../base/refusals.js";
import { authenticate } from "../auth/authenticate.js";
import { authorize } from "../auth/authorize.js";
import { readAddress } from "../target.js";
import { readCustomerKey, readSelector, SOURCE_KEY } from "./blob-headers.js";
import { readBlobRef, readSourceConditions, requireHeader } from "./read-request.js";
import { onBlob } from "./rows.js";
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
export async function readCopySource(request, services) {
    const text = requireHeader(request.headers, "x-ms-copy-source");
    const url = urlOf(text);
    const shown = withoutSignature(url);
    if (!isThisServer(url, request.headers.host))
        return { kind: "elsewhere", url, shown };
    const address = readAddress(`${url.pathname}${url.search}`, url.host, "blob", !request.target.isPathStyle);
    await checkMayRead(request, url, address, services);
    return {
        kind: "here",
        ref: readBlobRef(address),
        selector: readSelector(address.query),
        shown,
        conditions: readSourceConditions(request.headers),
        keySha256: readCustomerKey(request.headers, SOURCE_KEY),
    };
}
function urlOf(text) {
    const isShort = text.length <= BLOB_LIMITS.copySourceCharsMax;
    if (!isShort || !URL.canParse(text))
        throw badSource();
    const url = new URL(text);
    if (url.protocol !== "http:" && url.protocol !== "https:")
        throw badSource();
    return url;
}
/** The address may hold a signature, and error bodies end in logs. */
function badSource() {
    return badHeader("x-ms-copy-source", "");
}
/** What is remembered and shown of it: enough to know it again, nothing to use it with. */
function withoutSignature(url) {
    const kept = new URLSearchParams();
    for (const name of ["snapshot", "versionid", "sharesnapshot"]) {
        const value = url.searchParams.get(name);
        if (value !== null)
            kept.set(name, value);
    }
    const search = kept.size === 0 ? "" : `?${kept}`;
    return `${url.origin}${url.pathname}${search}`;
}
/** The same place the client is talking to, by any name a loopback has, or another account beside it. */
function isThisServer(url, host) {
    if (host === undefined)
        return false;
    const own = host.toLowerCase();
    if (url.host === own)
        return true;
    const [, ownPort = ""] = /:(\d+)$/.exec(own) ?? [];
    const ownName = own.slice(0, own.length - (ownPort === "" ? 0 : ownPort.length + 1));
    if (url.port !== ownPort)
        return false;
    if (LOOPBACK.has(url.hostname) && LOOPBACK.has(ownName))
        return true;
    const suffix = (name) => /^[^.]+(\.blob\..+)$/.exec(name)?.[1];
    return suffix(ownName) !== undefined && suffix(url.hostname) === suffix(ownName);
}
const READ_BLOB = {
    resource: "blob",
    permission: { ...onBlob(["r"]), anonymous: "blob" },
};
const CODES = {
    400: "CopySourceBadRequest",
    401: "CopySourceUnauthenticated",
    403: "CopySourceForbidden",
    404: "CopySourceNotFound",
};
async function checkMayRead(request, url, { target, query }, { auth }) {
    const { caller } = request;
    const token = request.headers["x-ms-copy-source-authorization"];
    const isOwn = (caller.kind === "owner" || caller.kind === "bearer") && caller.account === target.account;
    if (isOwn && token === undefined && !query.has("sig"))
        return;
    const asked = {
        method: "GET",
        target,
        query,
        headers: { "x-ms-version": request.version, authorization: token },
        isSecure: url.protocol === "https:" || request.isSecure,
        remoteAddress: request.remoteAddress,
        version: request.version,
    };
    try {
        await authorize(await authenticate(asked, auth), READ_BLOB, asked, auth);
    }
    catch (error) {
        if (!(error instanceof Refusal))
            throw error;
        throw new Refusal(CODES[error.row.http] ?? "CannotVerifyCopySource");
    }
}
