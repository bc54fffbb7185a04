import type { Instant } from "../../base/clock.ts";
import { HmacKey } from "../../digest/hmac.ts";
import type { ServiceName } from "../exchange.ts";
import type { Account } from "./accounts.ts";

/**
 * User delegation keys. Nothing is stored: a key is derived from the account key and from the fields that
 * travel with it, so it can be derived again from a SAS, and changing any field makes another key.
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

export const SERVICE_LETTERS: Readonly<Record<ServiceName, string>> = {
  blob: "b",
  queue: "q",
  table: "t",
  file: "f",
};

const PURPOSE = "holdfast user delegation key, 1";

/**
 * The `Value` of Get User Delegation Key. Print `SignedStart` and `SignedExpiry` in whole seconds next to it.
 */
export function delegationKeyValue(account: Account, fields: DelegationKeyFields): string {
  return delegationKeyOf(account.rawKeys[0]!, fields).toString("base64");
}

/**
 * Two steps, because the result is handed out: were it an HMAC under the account key itself, a caller who can
 * choose the fields might have the server sign a text that is also a SAS. JSON keeps the fields apart.
 */
export function delegationKeyOf(accountKey: Buffer, fields: DelegationKeyFields): Buffer {
  const purposeKey = new HmacKey(new HmacKey(accountKey).sign(PURPOSE));
  return purposeKey.sign(
    JSON.stringify([
      fields.objectId,
      fields.tenantId,
      Math.floor(fields.start / 1_000),
      Math.floor(fields.expiry / 1_000),
      fields.service,
      fields.version,
      fields.delegatedTenantId ?? "",
    ]),
  );
}
