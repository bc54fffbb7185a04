import { GET_USER_DELEGATION_KEY } from "../common/user-delegation-key.js";
import { getAndHead } from "./rows.js";
/** The same on any address; nothing there needs to exist. */
async function getAccountInformation() {
    const headers = {
        "x-ms-sku-name": "Standard_RAGRS",
        "x-ms-account-kind": "StorageV2",
        "x-ms-is-hns-enabled": "false",
    };
    return { status: 200, headers };
}
const ANY_LETTER = [..."rwdlacuptfixy"];
function accountInformation(resource, type) {
    const where = { service: "", container: "OfContainer", blob: "OfBlob" }[resource];
    return getAndHead({
        name: `GetAccountInformation${where}`,
        resource,
        query: { restype: "account", comp: "properties" },
        permission: { type, account: ANY_LETTER, service: ANY_LETTER, bearerSince: "never" },
        handle: getAccountInformation,
    });
}
export const ACCOUNT_ROWS = [
    ...accountInformation("service", "s"),
    ...accountInformation("container", "c"),
    ...accountInformation("blob", "o"),
    GET_USER_DELEGATION_KEY,
];
