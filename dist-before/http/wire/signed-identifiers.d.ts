import type { StoredPolicy } from "../../services/account/stored-policy.ts";
/**
 * Stored access policies, as Set and Get ACL carry them. A Set replaces the whole list, and an empty body is an
 * empty list. Each field of a policy may be left out, and a policy with none is printed as its id alone.
 */
export declare function parseSignedIdentifiers(body: Uint8Array): StoredPolicy[];
export declare function printSignedIdentifiers(policies: readonly StoredPolicy[]): string;
