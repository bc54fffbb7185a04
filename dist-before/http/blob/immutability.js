import { deleteImmutabilityPolicy as deletePolicy, setLegalHold as setHold, setImmutabilityPolicy as setPolicy, } from "../../services/blob/immutability.js";
import { printHttpDate } from "../wire/dates.js";
import { readImmutability, readSelector } from "./blob-headers.js";
import { missingHeader, readBlobRef, readBoolean, readWriteConditions } from "./read-request.js";
import { onBlob, row } from "./rows.js";
const IF_UNMODIFIED = ["if-unmodified-since"];
function readState(request) {
    return { ref: readBlobRef(request), selector: readSelector(request.query) };
}
/** PUT ?comp=immutabilityPolicies */
async function setImmutabilityPolicy(request, { blobs }) {
    const conditions = readWriteConditions(request.headers, IF_UNMODIFIED);
    const immutability = readImmutability(request.headers);
    if (immutability === undefined)
        throw missingHeader("x-ms-immutability-policy-until-date");
    const { until, mode } = await setPolicy(blobs, { ...readState(request), conditions, immutability });
    return {
        status: 200,
        headers: {
            "x-ms-immutability-policy-until-date": printHttpDate(until),
            "x-ms-immutability-policy-mode": mode,
        },
    };
}
/** DELETE ?comp=immutabilityPolicies */
async function deleteImmutabilityPolicy(request, { blobs }) {
    await deletePolicy(blobs, readState(request));
    return { status: 200 };
}
/** PUT ?comp=legalhold */
async function setLegalHold(request, { blobs }) {
    const hasLegalHold = readBoolean(request.headers, "x-ms-legal-hold");
    if (hasLegalHold === undefined)
        throw missingHeader("x-ms-legal-hold");
    await setHold(blobs, { ...readState(request), hasLegalHold });
    return { status: 200, headers: { "x-ms-legal-hold": String(hasLegalHold) } };
}
const common = { resource: "blob", permission: onBlob(["i"]) };
export const IMMUTABILITY_ROWS = [
    row({
        ...common,
        name: "SetImmutabilityPolicy",
        method: "PUT",
        query: { comp: "immutabilitypolicies" },
        conditions: IF_UNMODIFIED,
        handle: setImmutabilityPolicy,
    }),
    row({
        ...common,
        name: "DeleteImmutabilityPolicy",
        method: "DELETE",
        query: { comp: "immutabilitypolicies" },
        handle: deleteImmutabilityPolicy,
    }),
    row({
        ...common,
        name: "SetLegalHold",
        method: "PUT",
        query: { comp: "legalhold" },
        handle: setLegalHold,
    }),
];
