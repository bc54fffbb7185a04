import { badHeader, Refusal } from "../../base/refusals.ts";
import type { Authorizable, AuthorizedOperation } from "./authorize.ts";
import type { AuthContext } from "./context.ts";
import { challenge, isChallenged } from "./refuse.ts";

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

function noCredentials(request: Authorizable): Refusal {
  if (isChallenged(request)) return challenge("NoAuthenticationInformation");
  if (request.target.service !== "file") return new Refusal("ResourceNotFound");
  // What a browser is shown that opens the address of a file.
  return request.version === "" ? badHeader("x-ms-version", "") : new Refusal("AuthenticationFailed");
}
