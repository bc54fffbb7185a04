import type { Share } from "../file-system.ts";
import type { InfoAnswer } from "./query-info.ts";
export declare function volumeInformation(share: Share, informationClass: number): Promise<InfoAnswer>;
