import type { Authorizable, AuthorizedOperation } from "./authorize.ts";
import type { AuthContext } from "./context.ts";
export declare function authorizeAnonymous({ resource, permission }: AuthorizedOperation, request: Authorizable, { publicAccess }: Pick<AuthContext, "publicAccess">): Promise<void>;
