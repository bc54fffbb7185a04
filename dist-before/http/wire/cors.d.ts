import type { CorsRule } from "../../services/account/service-properties.ts";
/**
 * Cross-origin requests, as pure functions of the rules and the request. CORS grants nothing: a request still
 * has to be authorised. It only tells a browser whether the page may see the answer.
 *
 * The first matching rule decides. An exact origin is echoed and may send credentials; "*" is answered as "*".
 */
export type CorsHeaders = Record<string, string>;
export interface Preflight {
    readonly origin: string | undefined;
    /** Access-Control-Request-Method. */
    readonly method: string | undefined;
    /** Access-Control-Request-Headers. */
    readonly headers: string | undefined;
}
/** The answer to OPTIONS; throws when the browser must not go on. */
export declare function preflightHeaders(rules: readonly CorsRule[], request: Preflight): CorsHeaders;
export interface CorsRequest {
    readonly origin: string | undefined;
    readonly method: string;
}
/**
 * What to add to the answer of a real request. `replyHeaders` are the names of the headers already in it: a
 * browser takes no prefixes in Access-Control-Expose-Headers, so those of the rule are spelled out.
 *
 * `Vary: Origin` is for caches between us and the browser: set on GET and HEAD as soon as there are rules,
 * unless the answer is the same for every origin.
 */
export declare function corsHeaders(rules: readonly CorsRule[], request: CorsRequest, replyHeaders: readonly string[]): CorsHeaders;
