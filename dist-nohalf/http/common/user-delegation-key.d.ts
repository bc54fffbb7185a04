import type { AuthContext } from "../auth/authenticate.ts";
import type { Operation } from "../operation.ts";
interface AuthServices {
    readonly auth: AuthContext;
}
export declare const GET_USER_DELEGATION_KEY: Operation<AuthServices>;
export {};
