import { Refusal } from "../../base/refusals.js";
import { challenge } from "./refuse.js";
/** Since when a request without credentials is answered with a challenge instead of a plain no. */
const CHALLENGE_SINCE = {
    blob: "2019-12-12",
    queue: "2019-12-12",
    table: "2020-12-06",
    file: "2020-12-06",
};
export async function authorizeAnonymous({ resource, permission }, request, { publicAccess }) {
    const { target } = request;
    if (target.service !== "blob" || permission.anonymous === undefined)
        throw noCredentials(request);
    const slash = target.path.indexOf("/");
    const first = slash === -1 ? target.path : target.path.slice(0, slash);
    const container = slash === -1 && resource === "blob" ? "$root" : first;
    const access = await publicAccess(target.account, container);
    if (access === "container" || (access === "blob" && permission.anonymous === "blob"))
        return;
    throw noCredentials(request);
}
function noCredentials({ target, version }) {
    if (version >= CHALLENGE_SINCE[target.service])
        return challenge("NoAuthenticationInformation");
    return new Refusal(target.service === "blob" ? "ResourceNotFound" : "AuthenticationFailed");
}
