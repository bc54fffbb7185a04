/** A row with what most rows have: no body, no conditions, no lease, 200. */
export function row(given) {
    return {
        returnsEtag: false,
        conditions: [],
        lease: "none",
        body: "none",
        bodyBytesMax: 0,
        ok: [200],
        ...given,
    };
}
/** A read that answers GET with and HEAD without its body. */
export function getAndHead(given) {
    return [row({ ...given, method: "GET" }), row({ ...given, name: `${given.name}Head`, method: "HEAD" })];
}
/** Only the account's owner (or a token): no SAS of either kind may do it. */
export const OWNER_ONLY = { account: [], service: [] };
export const onContainer = (account, service = []) => ({
    type: "c",
    account,
    service,
});
export const onBlob = (letters) => ({
    type: "o",
    account: letters,
    service: letters,
});
