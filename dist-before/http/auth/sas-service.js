import { badQuery } from "../../base/refusals.js";
import { authenticationFailed, sasFieldInvalid, sasMismatch } from "./refuse.js";
import { checkOrigin, checkWindow, joinFields, refuseUnsigned, sasField, sasOverrides, sasTime, sasVersion, } from "./sas-fields.js";
import { canonicalResource, sasResource } from "./sas-resource.js";
import { isSigned } from "./verify.js";
const BASE = ["sp", "st", "se", "cr", "si"];
const ORIGIN = ["sip", "spr", "sv"];
export const OVERRIDE_FIELDS = ["rscc", "rscd", "rsce", "rscl", "rsct"];
export const BOUND_FIELDS = ["spk", "srk", "epk", "erk"];
const GENERATIONS = {
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
export function authenticateServiceSas(request, context) {
    const { query, target } = request;
    const generations = GENERATIONS[target.service];
    const version = sasVersion(query, generations.at(-1).since);
    const { signed } = generations.find(({ since }) => version >= since);
    const resource = sasResource(request, version);
    const path = signedPath(request, context, version, signed, resource);
    refuseUnsigned(query, signed, context);
    if (sasField(query, "si") === "") {
        return admit(request, context, { version, signed, resource, path }, undefined);
    }
    return admitByPolicy(request, context, { version, signed, resource, path });
}
/** The path the signature was made for. */
function signedPath({ query, target }, context, version, signed, { paths, snapshot }) {
    const account = context.accounts.find(target.account);
    const signature = sasField(query, "sig");
    let firstText;
    for (const path of paths) {
        const cr = canonicalResource(target.service, target.account, path, version);
        const text = joinFields(query, signed, { cr, snapshot: snapshot ?? "" });
        if (isSigned(account, text, signature, 0))
            return path;
        firstText ??= text;
    }
    throw sasMismatch(firstText);
}
async function admitByPolicy(request, context, proven) {
    const { service, account } = request.target;
    const slash = proven.path.indexOf("/");
    const name = slash === -1 ? proven.path : proven.path.slice(0, slash);
    const policies = await context.policies(service, account, name);
    const id = sasField(request.query, "si");
    const policy = policies?.find((candidate) => candidate.id === id);
    if (policy === undefined)
        throw authenticationFailed("Access policy not found.");
    return admit(request, context, proven, policy);
}
/** The limits of a SAS whose signature is good, and what it grants. */
function admit(request, context, { version, signed, resource, path }, policy) {
    const { query, target } = request;
    refuseTwice(query, "sp", policy?.permissions || undefined);
    refuseTwice(query, "st", policy?.start);
    refuseTwice(query, "se", policy?.expiry);
    const permissions = sasField(query, "sp") || policy?.permissions;
    const start = sasTime(query, "st") ?? policy?.start;
    const expiry = sasTime(query, "se") ?? policy?.expiry;
    if (permissions === undefined || !/^[a-z]+$/.test(permissions))
        throw sasFieldInvalid("sp");
    if (expiry === undefined)
        throw sasFieldInvalid("se");
    checkWindow({ start, expiry }, context.clock.now());
    checkOrigin(request, signed);
    const scope = signed.includes("ses") ? sasField(query, "ses") : "";
    return {
        kind: "serviceSas",
        account: target.account,
        version,
        isDelegated: false,
        service: target.service,
        resource: resource.resource,
        path,
        snapshot: resource.snapshot,
        permissions,
        encryptionScope: scope === "" ? undefined : scope,
        overrides: sasOverrides(query, signed),
        tableBounds: target.service === "table" ? tableBounds(query) : undefined,
    };
}
/** Each field comes from the SAS or from the policy, never from both. */
function refuseTwice(query, name, inPolicy) {
    const inSas = sasField(query, name);
    if (inSas === "" || inPolicy === undefined)
        return;
    throw badQuery(name, inSas, "The stored access policy gives this field as well.");
}
/**
 * An empty bound counts as none: both sign alike, so a client could turn one into the other. A row bound means
 * nothing without its partition bound.
 */
export function tableBounds(query) {
    const [startPartition, startRow, endPartition, endRow] = BOUND_FIELDS.map((name) => sasField(query, name) || undefined);
    if (startPartition === undefined && startRow !== undefined)
        throw sasFieldInvalid("spk");
    if (endPartition === undefined && endRow !== undefined)
        throw sasFieldInvalid("epk");
    if (startPartition === undefined && endPartition === undefined)
        return undefined;
    return { startPartition, startRow, endPartition, endRow };
}
