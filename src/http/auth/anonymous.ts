import { Refusal } from "../../base/refusals.ts";
import type { ServiceName } from "../exchange.ts";
import type { Authorizable, AuthorizedOperation } from "./authorize.ts";
import type { AuthContext } from "./context.ts";
import { challenge } from "./refuse.ts";

/** Since when a request without credentials is answered with a challenge instead of a plain no. */
const CHALLENGE_SINCE: Readonly<Record<ServiceName, string>> = {
  blob: "2019-12-12",
  queue: "2019-12-12",
  table: "2020-12-06",
  file: "2020-12-06",
};

export async function authorizeAnonymous(
  { resource, permission }: AuthorizedOperation,
  request: Authorizable,
  { publicAccess }: Pick<AuthContext, "publicAccess">,
): Promise<void> {
  const { target } = request;
  if (target.service !== "blob" || permission.anonymous === undefined) throw noCredentials(request);
  const slash = target.path.indexOf("/");
  const first = slash === -1 ? target.path : target.path.slice(0, slash);
  const container = slash === -1 && resource === "blob" ? "$root" : first;
  const access = await publicAccess(target.account, container);
  if (access === "container" || (access === "blob" && permission.anonymous === "blob")) return;
  throw noCredentials(request);
}

function noCredentials({ target, version }: Authorizable): Refusal {
  if (version >= CHALLENGE_SINCE[target.service]) return challenge("NoAuthenticationInformation");
  return new Refusal(target.service === "file" ? "AuthenticationFailed" : "ResourceNotFound");
}
