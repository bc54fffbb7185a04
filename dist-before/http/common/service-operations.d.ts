import type { PropertiesService } from "../../services/account/properties-service.ts";
import type { ServiceName } from "../exchange.ts";
import type { Operation } from "../operation.ts";
/** What every service has at its root: properties, statistics, and the answer to a browser's preflight. */
export interface CommonServices {
    readonly properties: PropertiesService;
}
export declare function commonOperations(service: ServiceName): readonly Operation<CommonServices>[];
