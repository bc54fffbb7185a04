import type { DamagedData } from "../../base/faults.ts";
import type { PayloadService } from "../payload/payload-service.ts";
/** Reads everything alive in an extent and returns the damage found: bits rot where nobody looks. */
export declare function scrubExtent(payload: PayloadService, extent: bigint): Promise<DamagedData[]>;
