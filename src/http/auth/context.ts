import type { Clock } from "../../base/clock.ts";
import type { StoredPolicy } from "../../services/account/stored-policy.ts";
import type { HttpRequest, ServiceName } from "../exchange.ts";
import type { Accounts } from "./accounts.ts";

/** A request before its caller is authenticated. */
export type Unauthenticated = Pick<
  HttpRequest,
  "method" | "target" | "query" | "headers" | "isSecure" | "remoteAddress" | "version"
>;

/**
 * The stored access policies of a container, queue, table (name in lower case) or share; undefined when there
 * is no such resource. Called only for a SAS with a good signature that names a policy, so other clients can
 * neither cause a read nor find out what exists.
 */
export type PolicyLookup = (
  service: ServiceName,
  account: string,
  resourceName: string,
) => Promise<readonly StoredPolicy[] | undefined>;

/** "none" also for a container that does not exist: anonymous callers cannot distinguish the two. */
export type PublicAccessLookup = (
  account: string,
  container: string,
) => Promise<"none" | "blob" | "container">;

export interface AuthContext {
  readonly accounts: Accounts;
  readonly clock: Clock;
  /** "basic": the claims of bearer tokens are checked, their signature is not. */
  readonly oauth: "off" | "basic";
  readonly policies: PolicyLookup;
  readonly publicAccess: PublicAccessLookup;
  /**
   * A restriction that the `sv` of a SAS does not sign (an IP range under 2013-08-15, say) protects nothing:
   * its holder can drop it. Such a SAS is refused, or in loose mode accepted without the restriction.
   */
  readonly isLoose?: boolean;
}
