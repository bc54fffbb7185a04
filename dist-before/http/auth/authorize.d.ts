import type { HttpRequest } from "../exchange.ts";
import type { Operation } from "../operation.ts";
import type { Caller } from "./caller.ts";
import type { AuthContext } from "./context.ts";
/** What authorisation looks at. */
export type Authorizable = Pick<HttpRequest, "target" | "query" | "headers" | "version">;
export type AuthorizedOperation = Pick<Operation<never>, "resource" | "permission">;
/**
 * Whether the caller may do what the row of the operation table describes; throws the refusal otherwise. Only an
 * anonymous caller needs a look at the container, so only then is there a promise to wait for.
 *
 * The parts of a batch are authorised one by one, by the operation that takes the batch apart: a table SAS may
 * send a batch to any table here, and its parts are refused when they name another table.
 */
export declare function authorize(caller: Caller, operation: AuthorizedOperation, request: Authorizable, context: Pick<AuthContext, "publicAccess">): Promise<void> | undefined;
/** One alternative in full: "au" asks for both letters. */
export declare function holdsOne(held: string, alternatives: readonly string[]): boolean;
