import type { HttpRequest } from "../exchange.ts";
/** The address the client used, up to the account: listings repeat it. */
export declare function serviceEndpoint({ headers, target, isSecure }: HttpRequest): string;
