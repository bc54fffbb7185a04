import { Refusal } from "../../base/refusals.js";
/** A row with what most rows have. The File service knows no conditional headers: it says so. */
export function row(given) {
    return {
        returnsEtag: false,
        conditions: [],
        lease: "none",
        body: "none",
        bodyBytesMax: 0,
        ok: [200],
        ...given,
        handle: (request, services) => handleUnconditionally(given.handle, request, services),
    };
}
const CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];
async function handleUnconditionally(handle, request, services) {
    refuseConditions(request.headers);
    return handle(request, services);
}
function refuseConditions(headers) {
    for (const name of CONDITIONS) {
        if (headers[name] !== undefined)
            throw new Refusal("ConditionHeadersNotSupported");
    }
}
/** A read that answers GET with and HEAD without its body. */
export function getAndHead(given) {
    return [row({ ...given, method: "GET" }), row({ ...given, name: `${given.name}Head`, method: "HEAD" })];
}
export const onShare = (account, service = []) => ({
    type: "c",
    account,
    service,
});
export const onNode = (letters) => ({
    type: "o",
    account: letters,
    service: letters,
});
