import type { Log } from "../base/log.ts";
import type { Handler } from "./listener.ts";
/**
 * The admin listener: for the machine that looks after the server, never for clients of the storage services.
 *
 *   GET /healthz   200 while the process answers at all
 *   GET /readyz    200 when requests will be served, else 503; the body names each part and its state
 *   GET /metrics   figures in the text format of Prometheus, all workers together
 */
export interface AdminSources {
    /** Each part by name, with `isUp` and a word for its state: { store: { isUp: true, state: "open" } }. */
    readonly readiness: () => Readiness | Promise<Readiness>;
    readonly metrics: () => Promise<string>;
    readonly log: Log;
}
export interface Readiness {
    readonly isStopping: boolean;
    readonly parts: Readonly<Record<string, {
        readonly isUp: boolean;
        readonly state: string;
    }>>;
}
export declare function createAdminHandler(sources: AdminSources): Handler;
