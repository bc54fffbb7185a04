/** A stored access policy, as Set ACL keeps it. */
export type { PolicyRecord as StoredPolicy } from "../../store/records/policy.ts";
