import type { Instant } from "../../base/clock.ts";
import type { ServiceName } from "../exchange.ts";
import type { Account } from "./accounts.ts";
/**
 * User delegation keys. Nothing is stored: a key is derived from the account key and from the fields that travel
 * with it, so it can be derived again from a SAS, and changing any field makes another key.
 */
export interface DelegationKeyFields {
    readonly objectId: string;
    readonly tenantId: string;
    /** Whole seconds count: SDKs drop the fraction of what they were given. */
    readonly start: Instant;
    readonly expiry: Instant;
    /** SignedService: b, q, t or f. */
    readonly service: string;
    readonly version: string;
    readonly delegatedTenantId: string | undefined;
}
export declare const SERVICE_LETTERS: Readonly<Record<ServiceName, string>>;
/** The `Value` of Get User Delegation Key. Print `SignedStart` and `SignedExpiry` in whole seconds next to it. */
export declare function delegationKeyValue(account: Account, fields: DelegationKeyFields): string;
/**
 * Two steps, because the result is handed out: were it an HMAC under the account key itself, a caller who can
 * choose the fields might have the server sign a text that is also a SAS. JSON keeps the fields apart.
 */
export declare function delegationKeyOf(accountKey: Buffer, fields: DelegationKeyFields): Buffer;
