import { FILE_LIMITS } from "../../base/limits-file.js";
import { badHeader, Refusal } from "../../base/refusals.js";
import { authenticate } from "../auth/authenticate.js";
import { authorize } from "../auth/authorize.js";
import { readAddress } from "../target.js";
import { pathRefOf, readFlag, requireHeader, snapshotOf } from "./read-request.js";
import { onNode } from "./rows.js";
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
export async function readCopySource(request, services, options = {}) {
    const { header = "x-ms-copy-source", permission = onNode(["r"]) } = options;
    const url = urlOf(requireHeader(request.headers, header), header);
    const shown = withoutSignature(url);
    const isByName = url.hostname === `${request.target.account}.file.core.windows.net`;
    if (!isByName && !isThisServer(url, request.headers.host))
        return { kind: "elsewhere", url, shown };
    const isHostStyle = isByName || !request.target.isPathStyle;
    const address = readAddress(`${url.pathname}${url.search}`, url.host, "file", isHostStyle);
    await checkAllowed(request, url, address, services, permission);
    const keepsDots = readFlag(request.headers, "x-ms-source-allow-trailing-dot") ?? false;
    return { kind: "here", ref: { ...pathRefOf(address.target, keepsDots), ...snapshotOf(address) }, shown };
}
function urlOf(text, header) {
    // The address may hold a signature, and error bodies end in logs: it is not repeated.
    const isShort = text.length <= FILE_LIMITS.copySourceCharsMax;
    if (!isShort || !URL.canParse(text))
        throw badHeader(header, "");
    const url = new URL(text);
    if (url.protocol !== "http:" && url.protocol !== "https:")
        throw badHeader(header, "");
    return url;
}
/** What is remembered and shown of it: enough to know it again, nothing to use it with. */
function withoutSignature(url) {
    const snapshot = url.searchParams.get("sharesnapshot") ?? url.searchParams.get("snapshot");
    const name = url.searchParams.has("sharesnapshot") ? "sharesnapshot" : "snapshot";
    return `${url.origin}${url.pathname}${snapshot === null ? "" : `?${name}=${encodeURIComponent(snapshot)}`}`;
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
    const suffix = (name) => /^[^.]+(\.file\..+)$/.exec(name)?.[1];
    return suffix(ownName) !== undefined && suffix(url.hostname) === suffix(ownName);
}
const CODES = {
    400: "CopySourceBadRequest",
    401: "CopySourceUnauthenticated",
    403: "CopySourceForbidden",
    404: "CopySourceNotFound",
};
/** What the source answered, in the words of a copy. */
export function sourceRefusal(status) {
    return new Refusal(CODES[status] ?? "CannotVerifyCopySource");
}
async function checkAllowed(request, url, { target, query }, { auth }, permission) {
    const { caller } = request;
    const token = request.headers["x-ms-copy-source-authorization"];
    const row = { resource: "file", permission };
    const asked = {
        method: "GET",
        target,
        query,
        headers: {
            "x-ms-version": request.version,
            "x-ms-file-request-intent": request.headers["x-ms-file-request-intent"],
            authorization: token,
        },
        isSecure: url.protocol === "https:" || request.isSecure,
        remoteAddress: request.remoteAddress,
        version: request.version,
    };
    try {
        const isOwn = token === undefined && !query.has("sig") && caller.account === target.account;
        await authorize(isOwn ? caller : await authenticate(asked, auth), row, asked, auth);
    }
    catch (error) {
        if (!(error instanceof Refusal))
            throw error;
        throw sourceRefusal(error.row.http);
    }
}
