import type { AccessLog } from "../base/access-log.ts";
import { type Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { CorsRule } from "../services/account/service-properties.ts";
import { type AuthContext } from "./auth/authenticate.ts";
import type { Connection, Incoming } from "./connection/connection.ts";
import type { ServiceName } from "./exchange.ts";
import type { OperationTable } from "./operation.ts";
import type { RequestIds } from "./request-id.ts";
/**
 * One service's front end: the road of a request from the parsed message to the reply.
 *
 *   address -> operation row -> who is calling -> may they -> handler -> reply
 *
 * Every step may throw a refusal; all of them are printed in one place.
 */
export interface FrontEndOptions<Services> {
    readonly table: OperationTable<Services>;
    readonly services: Services;
    readonly auth: AuthContext;
    readonly clock: Clock;
    readonly log: Log;
    readonly metrics: Metrics;
    readonly accessLog: AccessLog | undefined;
    readonly requestIds: RequestIds;
    readonly isSecure: boolean;
    readonly isHostStyleAllowed: boolean;
    /** Cross-origin rules of an account's service, read for requests that carry an Origin. */
    readonly corsRules: (service: ServiceName, account: string) => Promise<readonly CorsRule[]>;
}
export declare class FrontEnd<Services> {
    #private;
    constructor(options: FrontEndOptions<Services>);
    handle(incoming: Incoming, connection: Connection): Promise<void>;
}
